/** The log of a run, as its readers find it. Source: execution-semantics 14.2, http-api "Logs". */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('14.2 log files', () => {
  it('P22 when it cannot be made the run fails, and its error says what is in the way, where, and how to fix it', async () => {
    const home = temporaryFolder()
    const logs = join(home, 'logs')
    const engine = await createEngine({ home })
    const spec = 'name: a\nsteps: ["true"]'
    try {
      for (const [blocker, block] of [
        [logs, () => writeFileSync(logs, '')],
        [logs, () => symlinkSync('/nonexistent/place', logs)],
        [
          join(logs, 'a'),
          () => {
            mkdirSync(logs)
            writeFileSync(join(logs, 'a'), '')
          }
        ]
      ] as const) {
        rmSync(logs, { recursive: true, force: true })
        block()
        const { run, nodes } = await engine.result(await engine.start({ spec }))
        expect([run.status, nodes[0]?.node.status]).to.deep.equal(['failed', 'not_started'])
        expect(run.error).to.equal(
          `wanted a folder for logs at ${run.nodeLogs}, found ${blocker}, which is no folder: move it away, or give another paths.logDir`
        )
      }
      rmSync(logs, { recursive: true })
      expect((await engine.result(await engine.start({ spec }))).run.status).to.equal('succeeded')
    } finally {
      await engine.close()
    }
  })

  it('P22 when it goes while the run is at work the error of a step says so', async () => {
    const home = temporaryFolder()
    const logs = join(home, 'logs')
    const engine = await createEngine({ home })
    try {
      const spec = `name: a\nsteps: ['rm -r "${logs}"; touch "${logs}"', 'true']`
      const { run, nodes } = await engine.result(await engine.start({ spec }))
      expect(run.status).to.equal('failed')
      expect(nodes[1]?.node.error).to.equal(
        `failed to execute step "cmd_2": wanted a folder for logs at ${run.nodeLogs}, found ${logs}, which is no folder: move it away, or give another paths.logDir`
      )
    } finally {
      await engine.close()
    }
  })
})

describe('14.2 the run log', () => {
  it('is whole when readers see that the run has ended', async () => {
    const engine = await createEngine({ home: temporaryFolder() })
    for (let n = 0; n < 10; n++) {
      const run = await engine.start({ spec: 'name: short\nsteps: ["true"]' })
      while (engine.record(run)?.finishedAt === undefined) await new Promise((resolve) => setImmediate(resolve))
      expect(readFileSync(engine.record(run)?.log ?? '', 'utf8')).to.contain('run finished')
      await engine.result(run)
    }
    await engine.close()
  })

  it('has one line for each retry and each further pass, of a step that calls too', async () => {
    const engine = await createEngine({ home: temporaryFolder() })
    const run = await engine.start({
      spec: `name: lines
type: graph
steps:
  - {name: a, command: exit 1, retryPolicy: {limit: 2}}
  - {name: b, call: kid, retryPolicy: {limit: 2}}
  - {name: c, call: kid, repeatPolicy: {repeat: while, exitCode: 1, limit: 3}}
---
name: kid
steps: [exit 1]
`
    })
    await engine.result(run)
    const lines = readFileSync(engine.record(run)?.log ?? '', 'utf8').split('\n')
    for (const text of [
      'step=a retry=1',
      'step=a retry=2',
      'step=b retry=1',
      'step=b retry=2',
      'step=c done=1',
      'step=c done=2'
    ])
      expect(lines.filter((line) => line.endsWith(text)).length, text).to.equal(1)
    await engine.close()
  })
})
