/** What follows the end of a run: when the records of its executions go. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runId } from '../../machines/engine.ts'
import { passing } from '../../machines/policy/passing.ts'
import type { OpenRun } from '../../src/actors/open-run.ts'
import { openRunEnds } from '../../src/actors/run-ends.ts'
import type { SystemParts } from '../../src/actors/system-parts.ts'
import { systemClock } from '../../src/clock.ts'
import { temporaryFolder } from '../support/homes.ts'
import { key, plan } from '../support/plans.ts'

describe('actors › ends of runs', () => {
  const home = temporaryFolder()
  let count = 0

  /** A root run and its sub run, both with a record of an execution that has ended. */
  function stage() {
    const runs = passing<OpenRun>()
    const faults: unknown[] = []
    const logs = { write: () => {}, flushed: async () => {} }
    const parts = { clock: systemClock, logs, fault: (error: unknown) => faults.push(error) }
    const retention = { look: () => {}, open: () => {}, close: async () => {} }
    const ends = openRunEnds(parts as unknown as SystemParts, runs, retention) // what it uses of them
    const root = key(`root${++count}`)
    const open = (own: typeof root, facts: object): OpenRun & { state: string } => {
      const nodeLogs = join(home, own.dagRunId)
      mkdirSync(nodeLogs)
      const state = join(nodeLogs, 's.1.1.state')
      writeFileSync(state, '')
      const told = { status: 'running' as const, attempt: 1, createdAt: 0, params: [], plan: '', log: '', nodeLogs }
      const run = { plan: plan([]), spec: '', seq: 0, ended: new Map(), record: { ...own, ...told, ...facts }, state }
      runs.set(runId(own), run)
      return run
    }
    const caller = { root, parent: root, step: 'a', runAttempt: 1, attempt: 1, depth: 1 }
    return { ends, faults, open, root: open(root, {}), sub: open(key(`sub${count}`), { caller }) }
  }
  const isThere = ({ state }: { state: string }) => existsSync(state)
  async function gone(run: { state: string }): Promise<void> {
    while (isThere(run)) await new Promise((resolve) => setImmediate(resolve))
  }

  it('records of a sub run are left while its root run is at work, and go with those of the root run', async () => {
    const { ends, faults, open, root, sub } = stage()
    const later = open(key(`later${count}`), {})
    ends.over(sub)
    ends.over(later)
    await gone(later)
    expect(isThere(sub)).to.equal(true)
    ends.over(root)
    await ends.close()
    expect([root, sub].map(isThere)).to.deep.equal([false, false])
    expect(faults).to.deep.equal([])
  })
  it('they go at once when no root run is open', async () => {
    const { ends, root, sub } = stage()
    ends.over(root)
    ends.over(sub)
    await ends.close()
    expect(isThere(sub)).to.equal(false)
  })
  it('an engine that closes removes them', async () => {
    const { ends, sub } = stage()
    ends.over(sub)
    await ends.close()
    expect(isThere(sub)).to.equal(false)
  })
})
