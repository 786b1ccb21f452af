/** One execution of a step on a worker, as its node hears of it. Source: distribution 4. */
import { join } from 'node:path'
import { expect } from 'chai'
import { openDiskSpace } from '../../../src/actors/pace/disk-space.ts'
import { placedScope } from '../../../src/actors/run/placed-scope.ts'
import type { Waiting } from '../../../src/actors/workers/tasks/asked-task.ts'
import type { Dispatcher } from '../../../src/actors/workers/tasks/dispatcher.ts'
import { remoteAttempt } from '../../../src/actors/workers/tasks/remote-attempt.ts'
import { plan, step } from '../../support/charts/plans.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { eventually } from '../../support/waiting.ts'

describe('workers › an attempt on a worker', () => {
  const run = { name: 'dag', dagRunId: 'r1' }
  const placement = { home: 'a'.repeat(16), id: 'wa', lease: 7 }
  const logs = { write: () => {}, flushed: async () => {} }
  async function attempt(resumed: boolean) {
    const clock = simulatedClock()
    const diskSpace = openDiskSpace(clock)
    const folder = temporaryFolder()
    const record = { ...run, status: 'running' as const, attempt: 1, createdAt: 0, params: [], plan: '', placement }
    const open = {
      record: { ...record, log: join(folder, 'run.log'), nodeLogs: folder },
      plan: plan([step('a')]),
      spec: ''
    }
    const scope = await placedScope(
      { ...open, seq: 0, ended: new Map() },
      [],
      { diskSpace, logs, environment: {}, defaultShell: 'sh' },
      undefined
    )
    const told: string[] = []
    let waiting: Waiting | undefined
    const dispatcher: Pick<Dispatcher, 'begin'> = {
      begin(_, listening) {
        waiting = listening
        return {
          stop: () => {},
          read: async () => ({ size: 0, data: Buffer.alloc(0) }),
          settled: () => {},
          leave: () => {},
          giveUp: () => {}
        }
      }
    }
    const one = remoteAttempt({
      services: { clock, logs, diskSpace, scope: () => scope, openScope: async () => scope },
      dispatcher: dispatcher as Dispatcher,
      isAway: () => false,
      placementOf: () => placement,
      inheritedBy: async () => ({}),
      input: { run, place: 0, attempt: 1, ...(resumed ? { resumed } : {}) },
      tell: (type) => void told.push(type),
      request: { placement, what: 'step', task: '1'.repeat(32), run: '2'.repeat(32), name: 'a', job: {} },
      reopen: async () => {}
    })
    await eventually('it is offered', () => waiting)
    return { clock, told, one, claimed: () => waiting?.claimed() }
  }

  it('one that is answered at once says nothing of an offer', async () => {
    const { told, one, claimed } = await attempt(false)
    claimed()
    one.leave()
    expect(told).to.deep.equal([])
  })
  it('one that is answered late says that it was offered, and answered', async () => {
    const { clock, told, one, claimed } = await attempt(false)
    clock.goTo(clock.now() + 1_000)
    claimed()
    one.leave()
    expect(told).to.deep.equal(['attempt.offered', 'attempt.answered'])
  })
  it('D8 after a restart of the engine it says that it was answered, however quickly: its node may wait for that since before', async () => {
    const { told, one, claimed } = await attempt(true)
    claimed()
    one.leave()
    expect(told).to.deep.equal(['attempt.answered'])
  })
})
