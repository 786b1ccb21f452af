/** Retry of a finished run. Source: execution-semantics 13.1, 9.5.3, 9.5.4. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import type { RunKey } from '../../machines/vocabulary.ts'
import { temporaryFolder } from '../support/homes.ts'
import { liveEngine } from '../support/live.ts'

describe('retry of a run', () => {
  const live = liveEngine()
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'resolved',
      (error: { code: string }) => error.code
    )

  /** A diamond whose node `b` fails until the file `ok` is there; every execution leaves a mark. */
  const diamond = (folder: string, more = '') => `
type: graph
workingDir: ${folder}
params: P=1
${more}
steps:
  - {name: a, command: echo a >>marks; echo $P-out, output: A}
  - {name: b, command: 'echo b >>marks; [ -e ok ]', depends: a}
  - {name: c, command: echo c >>marks, depends: a}
  - {name: d, command: 'echo "d \${A}" >>marks', depends: [b, c]}
`
  const marks = (folder: string) => readFileSync(join(folder, 'marks'), 'utf8').trim().split('\n')

  async function failed(folder: string, more?: string): Promise<RunKey> {
    const run = await live.run(diamond(folder, more), { params: 'P=5' })
    expect(run.statuses).to.deep.equal(['succeeded', 'failed', 'succeeded', 'canceled'])
    rmSync(join(folder, 'marks'))
    writeFileSync(join(folder, 'ok'), '')
    return { name: run.run.name, dagRunId: run.run.dagRunId }
  }

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

  it('13.1.1 other id: a new run of that id, seeded from the old one, the old run unchanged; an id in use: already_exists', async () => {
    const folder = temporaryFolder()
    const key = await failed(folder)
    const before = live.engine.run(key)
    const made = await live.engine.retry(key, { dagRunId: `${key.dagRunId}-b` })
    const after = await live.ended(made)
    expect([after.status, after.run.attempt]).to.deep.equal(['succeeded', 1])
    expect(marks(folder)).to.deep.equal(['b', 'd 5-out'])
    expect(after.out('a')).to.equal('5-out\n')
    expect(dirname(dirname(after.node('a').stdout ?? ''))).to.equal(dirname(after.run.log))
    expect(live.engine.run(key)).to.deep.equal(before)
    expect(live.engine.runs({ name: key.name }).map(({ dagRunId }) => dagRunId)).to.have.members([
      key.dagRunId,
      made.dagRunId
    ])
    expect(await codeOf(live.engine.retry(key, { dagRunId: made.dagRunId }))).to.equal('already_exists')
    expect(await codeOf(live.engine.retry(key, { dagRunId: 'not an id' }))).to.equal('bad_request')
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

  it('13.1.5 step retry: only that node is reset and run, dependents untouched', async () => {
    const folder = temporaryFolder()
    const key = await failed(folder)
    await live.engine.retry(key, { stepName: 'b' })
    const after = await live.ended(key)
    expect(marks(folder)).to.deep.equal(['b'])
    expect(after.statuses).to.deep.equal(['succeeded', 'succeeded', 'succeeded', 'canceled'])
    expect(await codeOf(live.engine.retry(key, { stepName: 'nobody' }))).to.equal('not_found')
  })

  it('13.1.5 its retryPolicy ignored: one execution, of a step that calls too', async () => {
    for (const work of ['command: echo b >>marks; exit 1', 'call: child']) {
      const folder = temporaryFolder()
      const run = await live.run(`
workingDir: ${folder}
steps:
  - {name: b, ${work}, retryPolicy: {limit: 2, intervalSec: 0}}
---
name: child
steps: ['echo b >>marks; exit 1']
`)
      expect(marks(folder)).to.deep.equal(['b', 'b', 'b'])
      await live.engine.retry(run.run, { stepName: 'b' })
      const after = await live.ended(run.run)
      expect(marks(folder)).to.deep.equal(['b', 'b', 'b', 'b'])
      expect(after.node('b')).to.include({ status: 'failed', retryCount: 0 })
    }
  })

  it('13.3.5 a step that is marked as skipped: those after it are skipped, and say so; with continueOn.skipped they run', async () => {
    for (const [continueOn, end] of [
      ['', 'skipped'],
      [', continueOn: {skipped: true}', 'succeeded']
    ]) {
      for (const dagRunId of [undefined, `fresh-${end}`]) {
        const { run } = await live.run(`
type: graph
steps:
  - {name: a, command: exit 1}
  - {name: b, command: echo b, depends: a${continueOn}}
  - {name: c, command: echo c, depends: b}
  - {name: d, command: echo d, depends: c}
`)
        await live.engine.setNodeStatus({ root: run, step: 'a' }, 'succeeded')
        await live.engine.setNodeStatus({ root: run, step: 'b' }, 'skipped')
        const after = await live.ended(await live.engine.retry(run, dagRunId ? { dagRunId } : {}))
        expect([after.status, ...after.statuses]).to.deep.equal(['succeeded', 'succeeded', 'skipped', end, end])
        expect(after.node('d').error).to.equal(end === 'skipped' ? 'upstream skipped' : undefined)
      }
    }
  })

  it('13.1.3 not_started nodes run as normal: nothing is left of what one was before it was marked so', async () => {
    for (const dagRunId of [undefined, 'fresh-0']) {
      const { run } = await live.run(`
type: graph
steps:
  - {name: a, command: echo a, preconditions: "false"}
  - {name: b, command: echo b, depends: a}
  - {name: c, command: echo c}
`)
      for (const step of ['b', 'c']) await live.engine.setNodeStatus({ root: run, step }, 'not_started')
      const after = await live.ended(await live.engine.retry(run, dagRunId ? { dagRunId } : {}))
      expect([after.status, ...after.statuses]).to.deep.equal(['succeeded', 'skipped', 'skipped', 'succeeded'])
      expect(after.node('b')).to.include({ error: 'upstream skipped' })
      expect(after.node('c')).to.include({ doneCount: 1 })
    }
  })

  it('13.3.5 mark succeeded as failed to redo it and what follows: in a sub run that has succeeded too (9.5.3, 9.5.4)', async () => {
    for (const dagRunId of [undefined, 'fresh-sub']) {
      const folder = temporaryFolder()
      const { run, node } = await live.run(`
workingDir: ${folder}
steps: [{name: p, call: kid}]
---
name: kid
steps: [{name: one, command: echo one >>marks}, {name: two, command: echo two >>marks}, {name: three, command: echo three >>marks}]
`)
      expect(node('p').status).to.equal('succeeded')
      const [sub] = live.engine.subRuns(run)
      await live.engine.setNodeStatus({ root: run, subRunId: sub?.dagRunId ?? '', step: 'two' }, 'failed')
      await live.engine.setNodeStatus({ root: run, step: 'p' }, 'failed')
      const after = await live.ended(await live.engine.retry(run, dagRunId ? { dagRunId } : {}))
      expect(after.status).to.equal('succeeded')
      expect(marks(folder)).to.deep.equal(['one', 'two', 'three', 'two', 'three'])
    }
  })

  it('13.1.6 refused: run or definition has a running instance: already_running; unknown: not_found', async () => {
    const folder = temporaryFolder()
    const key = await failed(folder)
    const [held] = await Promise.all([live.start(`name: ${key.name}\nsteps: [sleep 30]`)])
    expect(await codeOf(live.engine.retry(key))).to.equal('already_running')
    expect(await codeOf(live.engine.retry(held))).to.equal('already_running')
    await live.engine.stop(held)
    await live.ended(held)
    expect(live.engine.record(key)).to.include({ status: 'failed', attempt: 1 })
    expect(await codeOf(live.engine.retry({ ...key, dagRunId: 'nobody' }))).to.equal('not_found')
  })

  it('13.1.8 DAG preconditions are evaluated again', async () => {
    const folder = temporaryFolder()
    const key = await failed(folder, 'preconditions: ["[ ! -e closed ]"]')
    writeFileSync(join(folder, 'closed'), '')
    await live.engine.retry(key)
    expect((await live.ended(key)).status).to.equal('canceled')
    expect(existsSync(join(folder, 'marks'))).to.equal(false)
  })

  it('9.5.3 a retry in place retries the same sub run: succeeded nodes are kept; 9.5.4 a retry with a new id seeds a new sub run from the old one', async () => {
    for (const dagRunId of [undefined, 'fresh']) {
      const folder = temporaryFolder()
      const run = await live.run(`
workingDir: ${folder}
steps: [{name: call, call: kid}]
---
name: kid
steps: [{name: one, command: echo one >>marks}, {name: two, command: 'echo two >>marks; [ -e ok ]'}]
`)
      expect(marks(folder)).to.deep.equal(['one', 'two'])
      writeFileSync(join(folder, 'ok'), '')
      const made = await live.engine.retry(run.run, dagRunId ? { dagRunId } : {})
      const after = await live.ended(made)
      expect(after.status).to.equal('succeeded')
      expect(marks(folder)).to.deep.equal(['one', 'two', 'two'])
      const [sub] = live.engine.subRuns(made)
      expect(sub).to.include({ status: 'succeeded', attempt: dagRunId ? 1 : 2 })
    }
  })

  it('9.5.3, 9.5.4 the passes of a repeating step are called again, in place and with a new id', async () => {
    for (const dagRunId of [undefined, 'fresh-passes']) {
      const folder = temporaryFolder()
      const run = await live.run(`
workingDir: ${folder}
steps: [{name: call, call: kid, repeatPolicy: {repeat: true, limit: 4}}]
---
name: kid
steps: ['echo pass >>marks; [ $(wc -l <marks) -ne 3 ]']
`)
      expect(run.node('call')).to.include({ status: 'failed', doneCount: 3 })
      const after = await live.ended(await live.engine.retry(run.run, dagRunId ? { dagRunId } : {}))
      expect(after.node('call')).to.include({ status: 'succeeded', doneCount: 4 })
      // What the first pass has called had succeeded: it is kept.
      expect(marks(folder).length).to.equal(3 + 3)
    }
  })

  it('9.5.4 a kept node of a run with a new id shows the sub runs that made its result, which stay those of the earlier run', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
workingDir: ${folder}
steps: [{name: call, call: kid, params: X=5}, {name: last, command: '[ -e ok ]'}]
---
name: kid
params: X=1
steps: [{name: deep, call: grandkid}]
---
name: grandkid
steps: [echo done]
`)
    const [sub] = run.nodes[0]?.calls?.subRuns ?? []
    writeFileSync(join(folder, 'ok'), '')
    const made = await live.engine.retry(run.run, { dagRunId: 'with-kept-calls' })
    const again = await live.engine.retry((await live.ended(made)).run, { dagRunId: 'kept-twice' })
    for (const key of [made, again]) {
      const after = await live.ended(key)
      expect(after.nodes[0]?.calls?.subRuns).to.deep.equal([sub])
      expect(live.engine.subRuns(key)).to.deep.equal([])
      const shown = live.engine.subRun(key, sub?.dagRunId ?? '')
      expect(shown?.run).to.deep.equal(sub?.record)
      const [deep] = shown?.nodes[0]?.calls?.subRuns ?? []
      expect(live.engine.subRun(key, deep?.dagRunId ?? '')?.run).to.include({ name: 'grandkid' })
      expect(live.engine.subRun(key, 'nobody')).to.equal(undefined)
    }
  })
})
