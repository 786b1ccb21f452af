/** One step of a finished run: executed again alone, or after a status was set by hand. Source: execution-semantics 13.1.3, 13.1.5, 13.3.5. */
import { expect } from 'chai'
import { retriedRuns } from '../../support/engine/retried-runs.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('retry of a run', () => {
  const { live, marks } = retriedRuns()

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
})
