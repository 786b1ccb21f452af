/** What a retry of a finished run does with its sub runs. Source: execution-semantics 9.5.3, 9.5.4, 13.3.5. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { retriedRuns } from '../../support/engine/retried-runs.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('retry of a run', () => {
  const { live, marks } = retriedRuns()

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
