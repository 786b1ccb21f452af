/** Retry of a finished run: under its id or another one, what is kept, what runs again, what is refused. Source: execution-semantics 13.1, 8.12. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { retriedRuns } from '../../support/engine/retried-runs.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('retry of a run', () => {
  const { live, marks, failed } = retriedRuns()

  it('13.1.1 without an id, or with its own: a new attempt under the same id, history of attempts kept; 13.1.3 failed and canceled nodes and everything downstream; others keep status, times and outputs', async () => {
    for (const dagRunId of [undefined, 'same']) {
      const folder = temporaryFolder()
      const key = await failed(folder)
      const before = live.engine.run(key)
      await live.engine.retry(key, dagRunId ? { dagRunId: key.dagRunId } : {})
      const after = await live.ended(key)
      expect(after.status).to.equal('succeeded')
      expect(after.run).to.include({ attempt: 2, dagRunId: key.dagRunId })
      expect(marks(folder)).to.deep.equal(['b', 'd 5-out'])
      expect(after.node('a')).to.deep.equal(before?.nodes[0]?.node)
      expect(after.node('b')).to.include({ status: 'succeeded', doneCount: 1 })
      expect(after.node('b').error).to.equal(undefined)
    }
  })

  it('13.1.7 the run log is continued, step logs are new files per attempt, startedAt is the new start', async () => {
    const folder = temporaryFolder()
    const key = await failed(folder)
    const before = live.engine.record(key)
    await live.engine.retry(key)
    const after = await live.ended(key)
    expect(after.run.log).to.equal(before?.log)
    expect(readFileSync(after.run.log, 'utf8').match(/run started/g)).to.have.length(2)
    expect(dirname(after.node('b').stdout ?? '')).to.equal(join(dirname(after.run.log), '2'))
    expect(after.run.startedAt).to.be.above(before?.startedAt ?? 0)
  })

  it('13.1.2 uses the stored params list: values with blanks survive', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`workingDir: ${folder}\nparams: [{P: x}]\nsteps: ['echo "$P" >>marks; [ -e ok ]']`, {
      params: 'P="a b"'
    })
    writeFileSync(join(folder, 'ok'), '')
    await live.engine.retry(run.run)
    await live.ended(run.run)
    expect(marks(folder)).to.deep.equal(['a b', 'a b'])
  })

  it('13.1.4 all nodes ended well: nothing runs, the status is computed from the nodes, handlers run again (8.12)', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`workingDir: ${folder}\nhandlerOn: {exit: echo exit >>marks}\nsteps: [echo a >>marks]`)
    await live.engine.retry(run.run)
    expect((await live.ended(run.run)).status).to.equal('succeeded')
    expect(marks(folder)).to.deep.equal(['a', 'exit', 'exit'])
  })

  it('8.12 a retry of the run runs the handlers again, those that call a workflow too: in place, with a new id, in a sub run', async () => {
    for (const dagRunId of [undefined, 'fresh-handlers']) {
      const folder = temporaryFolder()
      const run = await live.run(`
workingDir: ${folder}
handlerOn: {failure: {call: tell, params: WHO=run, retryPolicy: {limit: 1}}}
steps: [{name: call, call: kid}]
---
name: kid
handlerOn: {failure: {call: tell, params: WHO=kid}}
steps: [exit 1]
---
name: tell
params: WHO=
steps: ['echo "$WHO" >>marks; [ $(wc -l <marks) -ge 3 ]', 'echo told >>marks']
`)
      // The first handler of the run fails, and its retry goes on with the same sub run.
      const first = ['kid', 'run', 'run', 'told']
      expect(marks(folder)).to.deep.equal(first)
      const made = await live.engine.retry(run.run, dagRunId ? { dagRunId } : {})
      const after = await live.ended(made)
      expect(marks(folder)).to.deep.equal([...first, 'kid', 'told', 'run', 'told'])
      const [sub] = after.handlers.onFailure?.calls?.subRuns ?? []
      expect(sub?.record).to.include({ status: 'succeeded', attempt: 1 })
    }
  })

  it('13.1.8 DAG preconditions are evaluated again', async () => {
    const folder = temporaryFolder()
    const key = await failed(folder, 'preconditions: ["[ ! -e closed ]"]')
    writeFileSync(join(folder, 'closed'), '')
    await live.engine.retry(key)
    expect((await live.ended(key)).status).to.equal('canceled')
    expect(existsSync(join(folder, 'marks'))).to.equal(false)
  })
})
