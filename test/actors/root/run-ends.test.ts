/** What follows the end of a run: when its execution records are removed. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runId } from '../../../machines/engine.ts'
import { churnMap } from '../../../machines/tables/churn-map.ts'
import type { OpenRun } from '../../../src/actors/root/open-run.ts'
import { openRunEnds } from '../../../src/actors/root/run-ends.ts'
import type { SystemParts } from '../../../src/actors/root/system-parts.ts'
import { key, plan } from '../../support/charts/plans.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

describe('actors › ends of runs', () => {
  const home = temporaryFolder()
  let count = 0

  function stage() {
    const runs = churnMap<OpenRun>()
    const faults: unknown[] = []
    const clock = simulatedClock()
    const logs = { write: () => {}, flushed: async () => {} }
    const parts = { clock, logs, fault: (error: unknown) => faults.push(error) }
    const retention = { look: () => {}, open: () => {}, close: async () => {} }
    const ends = openRunEnds(parts as unknown as SystemParts, runs, retention) // what it uses of them
    /** An open run with a record of an execution that has ended. */
    function open(name = `run${++count}`): OpenRun & { state: string } {
      const own = key(name)
      const nodeLogs = join(home, own.dagRunId)
      mkdirSync(nodeLogs, { recursive: true })
      const state = join(nodeLogs, 's.1.1.state')
      writeFileSync(state, '')
      const told = { status: 'running' as const, attempt: 1, createdAt: 0, params: [], plan: '', log: '', nodeLogs }
      const run = { plan: plan([]), spec: '', seq: 0, ended: new Map(), record: { ...own, ...told }, state }
      runs.set(runId(own), run)
      return run
    }
    return { clock, ends, faults, open }
  }
  const isThere = ({ state }: { state: string }) => existsSync(state)
  const rounds = async () => {
    for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve))
  }

  it('records of executions are left while runs end one after the other, and go when none has ended for a second', async () => {
    const { clock, ends, faults, open } = stage()
    const early = open()
    const late = open()
    ends.over(early)
    clock.goTo(clock.now() + 900)
    ends.over(late)
    clock.goTo(clock.now() + 900)
    await rounds()
    expect([early, late].map(isThere)).to.deep.equal([true, true])
    clock.goTo(clock.now() + 100)
    await rounds()
    expect([early, late].map(isThere)).to.deep.equal([false, false])
    expect(faults).to.deep.equal([])
  })
  it('they go at once when 20,000 folders wait', async () => {
    const { ends, open } = stage()
    const first = open()
    ends.over(first)
    const other = open()
    for (let n = 1; n < 19_999; n++) ends.over(other)
    await rounds()
    expect(isThere(first)).to.equal(true)
    ends.over(other)
    await rounds()
    expect(isThere(first)).to.equal(false)
    await ends.close()
  })
  it('those of a run that was started again under the same id are left', async () => {
    const { ends, open } = stage()
    ends.over(open('again'))
    const again = open('again')
    await ends.close()
    expect(isThere(again)).to.equal(true)
  })
  it('an engine that closes removes them', async () => {
    const { ends, open } = stage()
    const run = open()
    ends.over(run)
    await ends.close()
    expect(isThere(run)).to.equal(false)
  })
})
