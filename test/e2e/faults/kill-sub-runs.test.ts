/** Calls and their sub runs outlive the engine: kill -9 in the middle of them. Source: execution-semantics 9.5, 13.5.4; reliability P1, P4. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { commit } from '../../../src/store/commit.ts'
import { entriesIn } from '../../../src/store/disk/write-ahead.ts'
import { openStore } from '../../../src/store/open.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

/** Two of five items end at once, two wait, one is not begun. */
const parallelCall = (home: string) => `
name: outer
steps: [{name: p, call: inner, parallel: {items: [a, b, c, d, e], maxConcurrent: 2}, params: "I=\${ITEM}"}]
---
name: inner
params: I=x
steps:
  - command: 'echo $I >>${home}/marks; case $I in c|d) while [ ! -e ${home}/go ]; do sleep 0.05; done;; esac; echo $I'
    output: OUT
`

const stoppedCall = (home: string) => `
name: outer
steps: [{name: c, call: inner}]
---
name: inner
handlerOn:
  cancel: 'echo $DAG_RUN_STATUS >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done; echo went on >>${home}/marks'
  exit: echo exit >>${home}/marks
steps: ['echo step >>${home}/marks; exec sleep 60']
`

const secretCall = (home: string, secret: string) => `
name: outer
steps: [{name: c, call: inner}]
---
name: inner
secrets: [{name: TOKEN, provider: file, key: ${secret}}]
steps: ['echo step >>${home}/marks; exec sleep 60']
`

describe('kill -9 of the engine in the middle of a 5-step run, start again', () => {
  it('9.5 kill -9 in the middle of a parallel call: running sub runs go on, finished ones are kept, no step runs twice, the result is whole', async () => {
    const home = temporaryFolder()
    await killedAfter(home, parallelCall(home), 4)
    const engine = await createEngine({ home })
    try {
      writeFileSync(join(home, 'go'), '')
      const { run, nodes } = await engine.result({ name: 'outer', dagRunId: 'r1' })
      expect(run.status).to.equal('succeeded')
      const { summary, results } = JSON.parse(readFileSync(nodes[0]?.node.stdout ?? '', 'utf8'))
      expect(summary).to.deep.equal({ total: 5, succeeded: 5, failed: 0 })
      expect(results.map(({ outputs }: { outputs: { OUT: string } }) => outputs.OUT)).to.deep.equal([...'abcde'])
      expect(marksIn(home).sort()).to.deep.equal([...'abcde'])
      expect(engine.subRuns(run).map(({ status, attempt }) => `${status} ${attempt}`)).to.deep.equal(
        Array.from({ length: 5 }, () => 'succeeded 1')
      )
    } finally {
      await engine.close()
    }
  })

  it('9.5.5 kill -9 while a call is being stopped: no further item is begun, the run ends canceled', async () => {
    const home = temporaryFolder()
    await killedAfter(home, parallelCall(home), 4)
    const first = await createEngine({ home })
    await first.stop({ name: 'outer', dagRunId: 'r1' })
    await first.close()
    const engine = await createEngine({ home })
    try {
      const { run, nodes } = await engine.result({ name: 'outer', dagRunId: 'r1' })
      expect([run.status, nodes[0]?.node.status]).to.deep.equal(['canceled', 'canceled'])
      expect(marksIn(home).sort()).to.deep.equal([...'abcd'])
      expect(engine.subRuns(run).map(({ status }) => status)).to.not.include('running')
    } finally {
      await engine.close()
    }
  })

  it('9.5.5 a restart in the middle of a stop: a sub run that runs its cancel handler has heard it, and runs that and exit to their end', async () => {
    const home = temporaryFolder()
    const first = await createEngine({ home, defaultShell: 'sh' })
    const key = await first.start({ spec: stoppedCall(home), dagRunId: 'r1' })
    await eventually('the step', () => marksIn(home).includes('step') || undefined)
    await first.stop(key)
    await eventually('the handler', () => marksIn(home).includes('canceled') || undefined)
    await first.close()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      writeFileSync(join(home, 'go'), '')
      expect((await engine.result(key)).run.status).to.equal('canceled')
      expect(marksIn(home)).to.deep.equal(['step', 'canceled', 'went on', 'exit'])
    } finally {
      await engine.close()
    }
  })

  itLong('9.5 a sub run that cannot go on after a restart has failed for its caller', async () => {
    const home = temporaryFolder()
    const secret = join(home, 'secret')
    writeFileSync(secret, 'hush')
    await killedAfter(home, secretCall(home, secret), 1)
    rmSync(secret)
    const engine = await createEngine({ home })
    try {
      const { run, nodes } = await engine.result({ name: 'outer', dagRunId: 'r1' })
      expect(run.status).to.equal('failed')
      expect(nodes[0]?.node.error).to.match(/^sub DAG run \w+ failed with status: failed$/)
    } finally {
      await engine.close()
    }
  })

  it('13.5.4 sub runs of a lost run end with it', async () => {
    const home = temporaryFolder()
    await killedAfter(home, parallelCall(home), 4)
    const store = openStore(join(home, 'data'))
    const entries = entriesIn(join(home, 'data', 'write-ahead'))
    await commit(store, entries, { again: true })
    writeFileSync(join(home, 'data', 'write-ahead'), '')
    const lost = store.runs.get(['outer', 'r1'])
    if (!lost) throw new Error('the run is not stored')
    const { open: _, ...rest } = lost
    await store.runs.put(['outer', 'r1'], rest)
    await store.root.close()
    const engine = await createEngine({ home })
    try {
      const run = engine.record({ name: 'outer', dagRunId: 'r1' })
      expect(run).to.include({ status: 'failed' })
      expect(run?.error).to.contain('state unreadable')
      const states = await eventually('the sub runs to end', () => {
        const all = engine.subRuns({ name: 'outer', dagRunId: 'r1' }).map(({ status }) => status)
        return all.includes('running') ? undefined : all.sort()
      })
      expect(states).to.deep.equal(['canceled', 'canceled', 'succeeded', 'succeeded'])
    } finally {
      await engine.close()
    }
  })
})
