/** The root of the system with all below it, as models of three kinds of events. Source: architecture 3. */
import { driveEngine } from '../../../support/charts/engine-chart.ts'
import { type Walk, walking } from '../../../support/charts/model.ts'
import { key, plan, step } from '../../../support/charts/plans.ts'
import { first, servicesOf } from './stubs.ts'

type LiveEngine = ReturnType<typeof driveEngine>
const only = plan([step('a')])
const sends = (type: string, facts: object) => (live: LiveEngine) =>
  live.actor.send({ type, key: key('r1'), plan: only, at: live.stage.now, ...facts } as never) // as the system sends it

const QUEUEING = {
  start: (engine: LiveEngine) => engine.starts('r1'),
  'start another': (engine: LiveEngine) => engine.starts('r2'),
  'start one that may wait': (engine: LiveEngine) => engine.starts('r3', { maxActiveRuns: 5 }),
  enqueue: (engine: LiveEngine) => engine.enqueues('r1'),
  'the item is loaded': (engine: LiveEngine) => engine.loads('r1'),
  'the item is unreadable': (engine: LiveEngine) => engine.cannotLoad('r1'),
  dequeue: (engine: LiveEngine) => engine.dequeues('r1'),
  'an item is found': sends('item.found', { queue: 'dag', limit: 1, order: 1 }),
  'queues are held': ({ actor }: LiveEngine) => actor.send({ type: 'queues.held' }),
  'ten seconds pass': ({ stage }: LiveEngine) => stage.advance(10_000)
}
const RUNNING = {
  start: QUEUEING.start,
  'a run is found': (engine: LiveEngine) => engine.finds('r1'),
  'a run is restored': (engine: LiveEngine) => engine.restores('r1'),
  'a sub run is restored': sends('runs.restored', { runs: [{ key: key('s1'), plan: only }] }),
  'the run is unreadable': (engine: LiveEngine) => engine.cannotRestore('r1'),
  'a sub run is asked for': sends('sub.requested', { key: key('s1') }),
  stop: (engine: LiveEngine) => engine.stops('r1'),
  kill: sends('run.kill', {}),
  force: sends('run.force', {}),
  'handlers are limited': ({ actor, stage }: LiveEngine) => actor.send({ type: 'handlers.limited', at: stage.now }),
  prepared: ({ stage }: LiveEngine) => first(stage, 'preparation').answer('run.prepared'),
  'the step ends': ({ stage }: LiveEngine) => first(stage, 'attempt').answer('attempt.ended', { exitCode: 0 }),
  'the run throws': (engine: LiveEngine) => engine.faulted('run/dag/r1'),
  'the run throws, again and again': (engine: LiveEngine) => {
    for (let times = 0; times < 5; times++) engine.faulted('run/dag/r1')
  },
  'the run is lost': sends('run.lost', { error: 'not readable' }),
  'the queue throws': (engine: LiveEngine) => {
    engine.breaksQueue('dag')
    engine.starts('r2')
  }
}
const PLACING = {
  start: (engine: LiveEngine) => engine.starts('r1', { workerSelector: { zone: 'a' }, maxActiveRuns: 5 }),
  'start another': (engine: LiveEngine) => engine.starts('r2', { workerSelector: { zone: 'a' }, maxActiveRuns: 5 }),
  'a worker comes': (engine: LiveEngine) => engine.works('w'),
  'two workers come': (engine: LiveEngine) => {
    engine.works('w')
    engine.works('v')
  },
  'it drains': (engine: LiveEngine) => engine.works('w', { isTaking: false }),
  'it goes': (engine: LiveEngine) => engine.leaves('w'),
  'it is lost': (engine: LiveEngine) => engine.loses('w'),
  'it is fenced': (engine: LiveEngine) => engine.fences('w'),
  'it is back': (engine: LiveEngine) => engine.isBack('w'),
  'the run wants another': (engine: LiveEngine) => engine.wants('r1'),
  call: (engine: LiveEngine) => engine.calls('s1', 'a'),
  'the sub run is loaded': (engine: LiveEngine) => engine.loads('s1'),
  'stop the sub run': (engine: LiveEngine) => engine.stops('s1'),
  'the item is unreadable': (engine: LiveEngine) => engine.cannotLoad('r1'),
  prepared: ({ stage }: LiveEngine) => first(stage, 'preparation').answer('run.prepared'),
  'the step ends': ({ stage }: LiveEngine) => first(stage, 'attempt').answer('attempt.ended', { exitCode: 0 })
}
const SCHEDULING = {
  'a minute passes': ({ stage }: LiveEngine) => stage.advance(60_000),
  'the scheduler throws': ({ stage }: LiveEngine) => {
    stage.breaks('scheduler/alarm', 1)
    stage.advance(60_000)
  },
  'the scheduler throws, again and again': ({ stage }: LiveEngine) => {
    stage.breaks('scheduler/alarm', 5)
    stage.advance(60_000)
  }
}

function engineModel(
  moves: Record<string, (engine: LiveEngine) => void>,
  options: { queues?: Record<string, number>; lease?: number } = {}
): Walk {
  return walking<LiveEngine>({
    open: (inspect) => driveEngine({ ...options, inspect }),
    moves,
    keyOf(engine) {
      const { runCounts, held, fleet } = engine.actor.getSnapshot().context
      return JSON.stringify([
        engine.children(),
        servicesOf(engine.stage),
        [...runCounts.runs].flatMap(([name, own]) => Array.from(own, ([id, run]) => [`${name}/${id}`, run])),
        engine.failed.length,
        ...(fleet
          ? [[...fleet.workers.values()], [...fleet.taken], fleet.awaited.size, fleet.unsure.size, fleet.moving.size]
          : []),
        held
      ])
    },
    depth: 3
  })
}
export const engineModels = (): Walk[] => [
  engineModel(QUEUEING),
  engineModel(QUEUEING, { queues: { dag: 1 } }),
  engineModel(RUNNING),
  engineModel(SCHEDULING),
  engineModel(PLACING, { lease: 0 })
]
