/** One worker, as a model. Source: distribution 4. */
import { createActor, createMachine } from 'xstate'
import type { AlarmInput } from '../../../../machines/slots.ts'
import { type WorkerEvent, workerMachine } from '../../../../machines/worker.ts'
import { type Inspect, type Walk, walking } from '../../../support/charts/model.ts'
import { invokedActor, onStage, openStage, START } from '../../../support/charts/stage.ts'
import { beat, hello } from '../../../support/charts/workers.ts'

const worker = workerMachine.provide({ actors: { alarm: invokedActor('alarm') as never } })

/** Of the process that is there; its predecessor has a lower number. */
const session = '2-b'

export function workerModel(): Walk {
  const openWorker = (inspect: Inspect) => {
    const stage = openStage()
    const input = { home: 'a1', at: START, speaks: { min: 1, max: 1 }, lostAfterMs: 30_000, fenceAfterMs: 60_000 }
    const parent = createMachine({ id: 'parent', invoke: { id: 'worker', src: worker, input } })
    return { stage, actor: onStage(stage, createActor(parent, { inspect })).start() }
  }
  type Live = ReturnType<typeof openWorker>
  const send = (event: (at: number) => WorkerEvent) => (live: Live) => {
    const worker = live.actor.getSnapshot().children.worker
    if (worker?.getSnapshot().status === 'active') worker.send(event(live.stage.now))
  }
  const passes =
    (ms: number) =>
    ({ stage }: Live) =>
      stage.advance(ms)
  return walking({
    open: openWorker,
    moves: {
      hello: send((at) => hello({ at, session })),
      'hello of one before': send((at) => hello({ at, session: '1-a' })),
      'hello, refused': send((at) => hello({ at, speaks: { min: 2, max: 2 } })),
      garbage: send((at) => ({ type: 'hello.garbled', at, reason: 'hello: wanted a number' })),
      floods: send((at) => ({ type: 'flood.heard', at, reason: 'it says too much' })),
      beat: send((at) => beat({ at, session })),
      'beat, its time is over': send((at) => beat({ at, session, isLeaving: true, isLate: true })),
      'is to drain': send((at) => ({ type: 'drain.asked', at, drain: { timeoutMs: 1_000 } })),
      'is to take runs again': send((at) => ({ type: 'drain.asked', at })),
      'beat of one after': send((at) => beat({ at, session: '3-c' })),
      'beat of another': send((at) => beat({ at, session: 's0' })),
      'hello of one without a fence': send((at) => hello({ at, session, fences: false })),
      'hears no offers': send((at) => ({ type: 'offers.unanswered', at })),
      'the engine is away': send((at) => ({ type: 'engine.disconnected', at })),
      'the engine is back': send((at) => ({ type: 'engine.connected', at })),
      'four seconds pass': passes(4_000),
      'sixteen seconds pass': passes(16_000),
      'a minute passes': passes(60_000),
      'an hour passes': passes(3_600_000)
    },
    keyOf({ stage, actor }) {
      const worker = actor.getSnapshot().children.worker?.getSnapshot()
      const { silentSince = 0, away, session, drain, isLate, fences, isDeaf, flood } = worker?.context ?? {}
      const alarms = stage.live('alarm').map(({ input }) => (input as AlarmInput).dueAt - stage.now)
      return JSON.stringify([
        worker?.value,
        stage.now - silentSince,
        away,
        session,
        drain,
        isLate,
        fences,
        isDeaf,
        flood && stage.now - flood.at,
        alarms
      ])
    },
    depth: 5
  })
}
