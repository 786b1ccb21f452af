/** Logs that housekeeping removes under a run that is at work. Source: execution-semantics 14.2, 13.5.3; reliability P5. */
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Engine } from '../../../src/index.ts'
import { identityOf } from '../../../src/platform/process-identity.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

describe('14.2 the logs of a run at work are removed', () => {
  let home: string
  let engine: Engine
  beforeEach(async () => {
    home = temporaryFolder()
    engine = await createEngine({ home })
  })
  afterEach(() => engine.close())

  const mark = (name: string) => eventually(name, () => (existsSync(join(home, name)) ? true : undefined))
  const go = () => writeFileSync(join(home, 'go'), '')
  const removeLogs = () => rmSync(join(home, 'logs'), { recursive: true })
  /** Says that it is at work, and waits. */
  const waiting = (then = 'true') => `touch $HOME_/begun; while [ ! -e $HOME_/go ]; do sleep 0.02; done; ${then}`
  /** Starts it, removes its logs when a step is at work, and lets that go on. */
  async function removedUnder(text: string) {
    const key = await engine.start({ spec: text.replaceAll('$HOME_', home) })
    await mark('begun')
    removeLogs()
    go()
    return engine.result(key)
  }

  it('the step at work ends well; steps, calls and handlers that begin then have their folder made again', async () => {
    const { run, nodes } = await removedUnder(`name: gone
steps:
  - ${waiting('echo one')}
  - echo two
  - call: sub
  - name: asks
    command: .a
    script: '{"a": 1}'
    executor: jq
handlerOn:
  exit: {command: echo bye}
---
name: sub
steps: [echo inside]
`)
    expect(nodes.map(({ node }) => node.error)).to.deep.equal([undefined, undefined, undefined, undefined])
    expect(run.status).to.equal('succeeded')
    expect(readFileSync(nodes[1]?.node.stdout ?? '', 'utf8')).to.equal('two\n')
    expect(readFileSync(nodes[2]?.node.stdout ?? '', 'utf8')).to.contain('"succeeded"')
    expect(existsSync(nodes[0]?.node.stdout ?? '')).to.equal(false)
    expect(readFileSync(run.log, 'utf8')).to.match(
      /level=WARN msg="the log folder was removed, and is made again" folder=\S+/
    )
  })

  itLong('a retry and a pass that follow have it made again', async () => {
    const { run, nodes } = await removedUnder(`name: gone
type: graph
steps:
  - {name: retried, command: "${waiting('[ -e $HOME_/second ] || { touch $HOME_/second; exit 1; }')}", retryPolicy: {limit: 1, intervalSec: 0}}
  - {name: repeated, command: 'echo pass >>$HOME_/passes; while [ ! -e $HOME_/go ]; do sleep 0.02; done', repeatPolicy: {repeat: true, limit: 2, intervalSec: 0}}
`)
    expect(nodes.map(({ node }) => node.error)).to.deep.equal([undefined, undefined])
    expect(run.status).to.equal('succeeded')
    expect(readFileSync(join(home, 'passes'), 'utf8')).to.equal('pass\npass\n')
  })

  itLong('a step with secrets that begins then writes its log, masked', async () => {
    writeFileSync(join(home, 'key'), 'correct horse')
    const { run, nodes } = await removedUnder(`name: gone
secrets: [{name: KEY, provider: file, key: $HOME_/key}]
steps:
  - ${waiting()}
  - echo "<$KEY>"
`)
    expect(run.status).to.equal('succeeded')
    expect(readFileSync(nodes[1]?.node.stdout ?? '', 'utf8')).to.equal('<*******>\n')
  })

  it('a step whose output is captured fails when that is gone: nothing in its place would look like a result', async () => {
    const { run, nodes } = await removedUnder(`name: gone
steps:
  - {name: wanted, command: "${waiting('echo 42')}", output: ANSWER}
`)
    expect(run.status).to.equal('failed')
    expect(nodes[0]?.node.error).to.equal(
      'failed to execute step "wanted": its output is gone: its log was removed while it ran'
    )
  })

  it('7.3.1 the running step is stopped and killed as usual, although the record of its process is gone', async () => {
    const key = await engine.start({
      spec: `name: gone
maxCleanUpTimeSec: 1
steps:
  - trap '' TERM; echo $$ >${home}/begun; while :; do sleep 0.05; done
`
    })
    await mark('begun')
    removeLogs()
    const pid = Number(readFileSync(join(home, 'begun'), 'utf8'))
    await engine.stop(key)
    const { run } = await engine.result(key)
    expect(run.status).to.equal('canceled')
    expect(identityOf(pid)).to.equal(undefined)
  })

  itLong('the working directory that a run without a file has is made again, too', async () => {
    const key = await engine.start({
      spec: `name: gone\nsteps:\n  - touch ${home}/begun; while [ ! -e ${home}/go ]; do sleep 0.02; done\n  - pwd\n`
    })
    await mark('begun')
    rmSync(join(home, 'data', 'work'), { recursive: true })
    go()
    const { run, nodes } = await engine.result(key)
    expect(nodes[1]?.node.error).to.equal(undefined)
    expect(run.status).to.equal('succeeded')
  })

  itLong('a step that ends with 125 is not begun again', async () => {
    const { nodes } = await removedUnder(`name: gone
steps:
  - ${waiting('echo x >>$HOME_/runs; exit 125')}
`)
    expect(nodes[0]?.node).to.include({ status: 'failed', exitCode: 125 })
    expect(readFileSync(join(home, 'runs'), 'utf8')).to.equal('x\n')
  })
})

describe('13.5.3 the logs were removed, and made again for another step, before the engine died', () => {
  it('what lives is adopted, and no step runs twice', async () => {
    const home = temporaryFolder()
    const waits = (name: string) => `echo ${name} >>${home}/marks; while [ ! -e ${home}/${name} ]; do sleep 0.05; done`
    const spec = `
name: removed
type: graph
steps:
  - {name: long, command: '${waits('long')}'}
  - {name: first, command: '${waits('first')}'}
  - {name: later, depends: first, command: '${waits('later')}'}
`
    let isRemoved = false
    await killedAfter(home, spec, 2, () => {
      if (!isRemoved) rmSync(join(home, 'logs'), { recursive: true })
      isRemoved = true
      writeFileSync(join(home, 'first'), '')
      return marksIn(home).includes('later')
    })
    const engine = await createEngine({ home })
    try {
      for (const name of ['long', 'later']) writeFileSync(join(home, name), '')
      const { run, nodes } = await engine.result({ name: 'removed', dagRunId: 'r1' })
      expect(nodes.map(({ node }) => node.error)).to.deep.equal([undefined, undefined, undefined])
      expect(run.status).to.equal('succeeded')
      expect(marksIn(home)).to.have.members(['long', 'first', 'later'])
    } finally {
      await engine.close()
    }
  })

  itLong('an execution inside the engine is of unknown outcome, and is not done again', async () => {
    const home = temporaryFolder()
    const { server, url, asked } = await slowServer()
    try {
      const spec = `
name: removed
type: graph
steps:
  - {name: asks, command: 'POST ${url}', executor: http}
  - {name: first, command: 'echo first >>${home}/marks; while [ ! -e ${home}/first ]; do sleep 0.05; done'}
  - {name: later, depends: first, command: 'echo later >>${home}/marks'}
`
      let isRemoved = false
      await killedAfter(home, spec, 1, () => {
        if (asked() === 0) return false
        if (!isRemoved) rmSync(join(home, 'logs'), { recursive: true })
        isRemoved = true
        writeFileSync(join(home, 'first'), '')
        return marksIn(home).includes('later')
      })
      const engine = await createEngine({ home })
      try {
        const { nodes } = await engine.result({ name: 'removed', dagRunId: 'r1' })
        expect(nodes[0]?.node.error).to.equal(
          'interrupted: outcome unknown: its log folder was removed, and the record of it with that'
        )
        expect(asked()).to.equal(1)
      } finally {
        await engine.close()
      }
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })
})

/** Takes requests, and answers none. */
async function slowServer() {
  let count = 0
  const server = createServer(() => {
    count++
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, url: `http://127.0.0.1:${port}/`, asked: () => count }
}
