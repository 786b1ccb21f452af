/** The scheduler and its restarts, as a model. Source: execution-semantics 11. */
import { createActor, createMachine } from 'xstate'
import type { Due, Facts } from '../../../../machines/policy/due.ts'
import { restartMachine } from '../../../../machines/restart.ts'
import { type StartAnswered, schedulerMachine } from '../../../../machines/scheduler.ts'
import { type Inspect, type Walk, walking } from '../../../support/charts/model.ts'
import { key } from '../../../support/charts/plans.ts'
import { invokedActors, onStage, openStage, START } from '../../../support/charts/stage.ts'
import { first, servicesOf } from './stubs.ts'

const due = { fileName: 'a', name: 'a', kind: 'start', slot: START } as Due
const FACTS: Facts = {
  fileName: 'a',
  name: 'a',
  kind: 'start',
  slot: START,
  suspended: false,
  decided: false,
  missed: false,
  skipIfSuccessful: false,
  running: [],
  restarting: false
}
const answered: Omit<StartAnswered, 'type' | 'at'> = { due, how: 'start', outcome: 'begun', limit: 1, queues: true }

const restart = restartMachine.provide({ actors: invokedActors('alarm', 'ending', 'restart') })
const logic = schedulerMachine.provide({
  actors: { ...(invokedActors('alarm', 'timetable') as object), restart } as never
})

export function schedulerModel(): Walk {
  const openScheduler = (inspect: Inspect) => {
    const stage = openStage()
    const parent = createMachine({ id: 'parent', invoke: { id: 'scheduler', src: logic, input: { at: START } } })
    return { stage, actor: onStage(stage, createActor(parent, { inspect })).start() }
  }
  type Live = ReturnType<typeof openScheduler>
  const tells =
    (type: string, facts: object) =>
    ({ stage }: Live) =>
      first(stage, 'timetable').answer(type, facts)
  const running = [key('r1')]
  return walking({
    open: openScheduler,
    moves: {
      'a minute passes': ({ stage }) => stage.advance(60_000),
      'the minute was looked at': tells('look.ended', { minute: START }),
      'the look failed': tells('look.failed', {}),
      'a start is due': tells('minute.looked', { facts: [FACTS] }),
      'a stop is due': tells('minute.looked', { facts: [{ ...FACTS, kind: 'stop', running }] }),
      'a restart is due': tells('minute.looked', { facts: [{ ...FACTS, kind: 'restart', running }] }),
      'the start has begun': tells('start.answered', answered),
      'the start found no place': tells('start.answered', { ...answered, outcome: 'full', limit: 2 }),
      'the start failed': tells('start.answered', { ...answered, outcome: 'failed', error: 'no such file' }),
      'a restart is found': tells('restart.found', { key: key('r2'), waitMs: 1_000 }),
      'the run is over': ({ stage }) => first(stage, 'ending').answer('run.over'),
      'the new run has begun': ({ stage }) => first(stage, 'restart').answer('run.restarted'),
      'the new run cannot be begun: it throws': ({ stage }) => {
        stage.breaks('restart', 1)
        stage.advance(2_000)
      }
    },
    keyOf: ({ stage }) =>
      JSON.stringify(
        servicesOf(stage)
          .map((stub) => stub.replace(/ timetable\S*/g, ''))
          .sort()
      ),
    depth: 5
  })
}
