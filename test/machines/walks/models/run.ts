/** One DAG run, as a model. Source: execution-semantics 5, 7, 8. */
import { createActor } from 'xstate'
import { knownOfRun } from '../../../../machines/reach/run-reach.ts'
import type { RunEvent } from '../../../../machines/run.ts'
import type { Plan } from '../../../../machines/vocabulary.ts'
import { runLogic } from '../../../support/charts/charts.ts'
import { type Inspect, needed, walking } from '../../../support/charts/model.ts'
import { key, plan, step } from '../../../support/charts/plans.ts'
import { onStage, openStage, START, type Stage } from '../../../support/charts/stage.ts'
import type { KnownWalk } from './node.ts'
import { first, servicesOf } from './stubs.ts'

interface LiveRun {
  stage: Stage
  actor: ReturnType<typeof openRun>
}
const openRun = (stage: Stage, given: Plan, inspect: Inspect) =>
  onStage(stage, createActor(runLogic, { id: 'run', input: { key: key(), plan: given, at: START }, inspect }))

type RunMove = (live: LiveRun) => void
const tells =
  (event: (now: number) => RunEvent): RunMove =>
  ({ stage, actor }) => {
    if (actor.getSnapshot().status === 'active') actor.send(event(stage.now))
  }
const answers =
  (slot: string, type: string, facts: object = {}, breaks?: string): RunMove =>
  ({ stage }) => {
    const stub = first(stage, slot)
    if (breaks) stage.breaks(breaks, 1)
    stub.answer(type, slot === 'notification' ? { actorId: stub.id } : facts)
  }
const failure = { exitCode: 1, error: 'exit status 1' }
const throwing = () => {
  throw new Error('defect')
}
/** The actor that a move needs to be active. */
const NEEDED: [pattern: RegExp, slot: string][] = [
  [/prepared/, 'preparation'],
  [/^conditions/, 'conditions'],
  [/^a step/, 'attempt'],
  [/^a mail/, 'notification'],
  [/^released/, 'release']
]
const RUN_MOVES = {
  prepared: answers('preparation', 'run.prepared'),
  'prepared, the node throws': answers('preparation', 'run.prepared', {}, 'attempt'),
  unprepared: answers('preparation', 'run.unprepared', { error: 'no such file' }),
  'conditions hold': answers('conditions', 'conditions.checked', { met: true, conditions: [] }),
  'conditions do not hold': answers('conditions', 'conditions.checked', { met: false, conditions: [] }),
  'a step ends well': answers('attempt', 'attempt.ended', { exitCode: 0 }),
  'a step fails': answers('attempt', 'attempt.ended', failure),
  'a step ends well, what is begun then throws': answers('attempt', 'attempt.ended', { exitCode: 0 }, 'attempt'),
  'a step fails, its mail throws': answers('attempt', 'attempt.ended', failure, 'notification'),
  'a mail is out': answers('notification', 'notification.ended'),
  'a mail throws': ({ stage, actor }) => {
    const { id } = first(stage, 'notification')
    // As XState reports it.
    actor.send({ type: `xstate.error.actor.${id}`, actorId: id, error: new Error('defect') })
  },
  released: answers('release', 'run.released'),
  'a node throws, at a stop': ({ stage, actor }) => {
    const node = needed(actor.getSnapshot().children['node/a'])
    Object.assign(node, { logic: { transition: throwing } })
    actor.send({ type: 'run.stop', at: stage.now })
  },
  'a second passes': ({ stage }) => stage.advance(1_000),
  'a minute passes': ({ stage }) => stage.advance(60_000),
  'another version': tells((at) => ({ type: 'release.differs', at, version: '2', wanted: '1' })),
  'its version': tells((at) => ({ type: 'release.opened', at })),
  stop: tells((at) => ({ type: 'run.stop', at })),
  kill: tells((at) => ({ type: 'run.kill', at })),
  force: tells((at) => ({ type: 'run.force', at })),
  'a signal comes': tells((at) => ({ type: 'signal.given', step: 'a', at, output: '1' })),
  'its worker is lost': tells((at) => ({
    type: 'worker.lost',
    at,
    worker: 'wa',
    silentMs: 30_000,
    fencedAt: at + 30_000
  })),
  'it is fenced': tells((at) => ({ type: 'worker.fenced', at })),
  'it is back': tells((at) => ({ type: 'worker.back', at })),
  'it has another one': tells((at) => ({ type: 'worker.replaced', at })),
  'handlers are limited': tells((at) => ({ type: 'handlers.limited', at }))
} satisfies Record<string, RunMove>

type RunMoveName = keyof typeof RUN_MOVES
/** @param wanted names of the moves that make sense in its world */
const modelsOf =
  (isPlanned: boolean) =>
  (given: Plan, depth: number, wanted: RunMoveName[]): KnownWalk => {
    const known = knownOfRun(given, wanted.includes('its worker is lost'))
    const names = wanted.filter(
      (name) => !isPlanned || name !== 'another version' || known.hears('release.differs', 'working')
    )
    const walk = walking<LiveRun>({
      open(inspect) {
        const stage = openStage()
        const actor = openRun(stage, given, inspect)
        actor.subscribe({ error: () => {} })
        actor.start()
        return { stage, actor }
      },
      moves: Object.fromEntries(names.map((name) => [name, RUN_MOVES[name]])),
      can({ stage }, move) {
        const slot = NEEDED.find(([pattern]) => pattern.test(move))?.[1]
        return slot === undefined || stage.live(slot).length > 0
      },
      keyOf({ stage, actor }) {
        const { value, context: c } = actor.getSnapshot()
        const { runState, stop, hurried, killed, handlersLimited, released, mailed, handlerFailed, superseded } = c
        const { loss, requeues } = c
        return JSON.stringify([
          value,
          runState.status,
          stop,
          hurried,
          killed,
          handlersLimited,
          released,
          mailed,
          handlerFailed,
          loss,
          requeues,
          superseded?.from,
          servicesOf(stage)
        ])
      },
      depth
    })
    return { walk, known }
  }
const mail = { from: 'a', to: ['b'], prefix: '', attachLogs: false }
const mails = { mailOn: { failure: true, success: true }, errorMail: mail, infoMail: mail } as Partial<Plan>
const handlers = {
  success: step('onSuccess'),
  failure: step('onFailure'),
  cancel: step('onCancel'),
  exit: step('onExit')
}
const STEPS = ['prepared', 'a step ends well', 'a step fails', 'stop', 'kill'] as const
const THROWS = ['prepared, the node throws', 'a step ends well, what is begun then throws'] as const
const LOSS = ['its worker is lost', 'it is fenced', 'it is back', 'it has another one'] as const
const MAILS = ['a step fails, its mail throws', 'a mail is out', 'a mail throws'] as const
const mailing = { mailOnError: true }
/** Runs that between them meet everything a run can meet. */
export function runModels(isPlanned = false): KnownWalk[] {
  const runModel = modelsOf(isPlanned)
  return [
    runModel(plan([step('a')], { timeoutMs: 5_000 }), 4, [...STEPS, ...THROWS, 'unprepared', 'a minute passes']),
    runModel(plan([step('a', { continueOn: { failure: true } }), step('b')]), 4, [
      'prepared',
      'a step ends well',
      'a step fails',
      'stop',
      'a node throws, at a stop'
    ]),
    runModel(plan([step('a', { wait: { kind: 'signal' } })]), 3, ['prepared', 'a signal comes', 'stop']),
    runModel(plan([step('a')], { handlers }), 4, [...STEPS, ...THROWS, 'force']),
    runModel(plan([step('a')], { handlers: { exit: step('onExit') } }), 4, [...STEPS, ...THROWS]),
    runModel(plan([step('a')], { handlers: { exit: step('onExit') } }), 5, [
      'prepared',
      'a step ends well',
      'stop',
      'handlers are limited',
      'a minute passes'
    ]),
    runModel(plan([step('a')], { preconditions: [{ condition: 'true' }], delayMs: 1_000, timeoutMs: 10_000 }), 4, [
      'prepared',
      'conditions hold',
      'conditions do not hold',
      'a second passes',
      'a minute passes',
      'stop',
      'force'
    ]),
    runModel(plan([step('a')], { preconditions: [{ condition: 'true' }] }), 2, ['prepared', 'conditions hold']),
    runModel(plan([step('a')], { delayMs: 5_000, timeoutMs: 1_000 }), 3, ['prepared', 'a second passes', 'stop']),
    runModel(plan([step('a', mailing), step('b', mailing)], mails), 5, [
      'prepared',
      'a step fails',
      'stop',
      'force',
      'handlers are limited',
      ...MAILS
    ]),
    runModel(
      plan([step('a', mailing)], {
        ...mails,
        handlers: { failure: step('onFailure', mailing), exit: step('onExit', mailing) }
      }),
      5,
      ['prepared', 'a step fails', 'stop', 'kill', ...MAILS]
    ),
    runModel(plan([step('a', mailing)], { ...mails, container: { image: 'x' } as Plan['container'] & object }), 5, [
      'prepared',
      'a step fails',
      'released',
      'stop',
      'kill',
      ...MAILS
    ]),
    ...(['fail', 'requeue', 'wait'] as const).map((onWorkerLost) =>
      runModel(
        plan([step('a', { retry: { limit: 1 } })], {
          onWorkerLost,
          timeoutMs: 10_000,
          preconditions: [{ condition: 'true' }]
        }),
        5,
        ['prepared', 'conditions hold', 'a step fails', 'stop', 'force', 'a minute passes', ...LOSS]
      )
    ),
    runModel(
      plan([step('a')], {
        container: { image: 'x' } as Plan['container'] & object,
        handlers: { exit: step('onExit') }
      }),
      5,
      ['prepared', 'a step fails', 'released', ...LOSS]
    ),
    runModel(plan([step('a')], { preconditions: [{ condition: 'true' }], delayMs: 1_000, timeoutMs: 10_000 }), 6, [
      'prepared',
      'conditions hold',
      'a second passes',
      'a minute passes',
      'another version',
      'its version',
      'stop',
      'force'
    ]),
    runModel(plan([step('a', { wait: { kind: 'signal' } })]), 5, [
      'prepared',
      'a signal comes',
      'another version',
      'its version',
      'stop'
    ])
  ]
}
