/** One run from start to end, driven by a seeded random generator against real node charts; broken rules are recorded. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { AlarmInput } from '../../../machines/slots.ts'
import type { Plan } from '../../../machines/vocabulary.ts'
import { driveRun, type RunDrive, type RunRecorders } from '../../support/charts/charts.ts'
import { retry } from '../../support/charts/plans.ts'
import { randomPlan } from '../../support/charts/random-plans.ts'
import { type InvokedStub, openStage, type Stage } from '../../support/charts/stage.ts'
import { restartedRun, storedRun } from '../../support/engine/restart.ts'
import { type Random, seeded } from '../../support/random.ts'
import { checkEnd, checkMoment, type Rule, type Walker } from './walk-rules.ts'

export interface Walk {
  outcome: string | undefined
  restarts: number
  broken: { rule: Rule; detail: string }[]
}

/** @param recordersOf note the transitions of the walk's run */
export function walk(seed: number, recordersOf?: (plan: Plan, stage: Stage) => RunRecorders): Walk {
  const random = seeded(seed)
  const plan = randomPlan(random)
  const opened = openStage()
  const run = driveRun(plan, { stage: opened, recorders: recordersOf?.(plan, opened) })
  const walker: Walker = { plan, run, neverGotGoing: false, broken: [] }
  const { stage } = walker.run
  let restarts = 0
  let stored: ReturnType<typeof storedRun>['nodes'] = []
  const goesOn = () => walker.run.outcome() === undefined

  // By chance, for a while; then everything that is asked for is answered.
  for (let turn = 0; turn < 150 && goesOn(); turn++) {
    if (random.chance(0.03)) walker.run.stop()
    else if (random.chance(0.08)) {
      restarts++
      stored = restart(walker, stored)
    } else {
      if (random.chance(0.02)) stage.breaks('attempt', 1)
      answerByChance(walker, random)
    }
    checkMoment(walker)
  }
  stage.breaks('attempt', 0)
  for (let turn = 0; turn < 500 && goesOn(); turn++) {
    answerPlainly(walker.run)
    checkMoment(walker)
  }
  checkEnd(walker)
  return { outcome: walker.run.outcome(), restarts, broken: walker.broken }
}

type Stored = ReturnType<typeof storedRun>['nodes']

/** @returns what the store holds of the nodes now */
function restart(walker: Walker, stored: Stored): Stored {
  const { stage } = walker.run
  stage.breaks('attempt', 0) // a fault that has not happened yet dies with the process
  const before = { core: coreOf(walker.run), alarms: alarmsOf(walker.run) }
  const saved = storedRun(walker.run, stored)
  walker.run = restartedRun(walker.run, saved)

  const require = (holds: boolean, detail: string) => {
    if (!holds) walker.broken.push({ rule: 'restart', detail })
  }
  require(coreOf(walker.run) === before.core, `${before.core}, then ${coreOf(walker.run)}`)
  const alarms = alarmsOf(walker.run)
  for (const alarm of before.alarms) require(alarms.includes(alarm), `alarm ${alarm} is not armed again`)
  // An alarm that rang before the restart may still be a child: it rings again, without effect.
  for (const alarm of alarms)
    require(before.alarms.includes(alarm) || dueOf(alarm) <= stage.now, `alarm ${alarm} is new`)
  for (const { input } of stage.live('attempt'))
    require((input as { resumed?: boolean }).resumed === true, 'an attempt is begun twice')
  return saved.nodes
}

/** Where a run stands, and what it knows of its nodes. */
function coreOf(run: RunDrive): string {
  const { status, ready, active, open, tally } = run.context().runState
  return JSON.stringify([run.state(), status, ready, [...active].sort(), open, tally])
}
/** Alarms that are armed: whose, and when they ring. */
const alarmsOf = ({ stage }: RunDrive) =>
  stage.live('alarm').map(({ of, input }) => `of ${of} at ${(input as AlarmInput).dueAt}`)
const dueOf = (alarm: string) => Number(alarm.split(' ').at(-1))

const asked = ({ received }: InvokedStub) => received.length > 0
const terminated = { exitCode: -1, signal: 'terminated', error: 'signal: terminated' }
const waitingServices = ({ stage }: RunDrive) => stage.invoked.filter(({ over, slot }) => !over && slot !== 'alarm')

/** One invoked actor answers, or time passes. */
function answerByChance(walker: Walker, random: Random): void {
  const { stage } = walker.run
  const { below, chance, pick } = random
  const waiting = waitingServices(walker.run)
  if (waiting.length === 0 || chance(0.25)) {
    stage.advance(below(3_000))
    return
  }
  const stub = pick(waiting)
  if (stub.slot === 'conditions') stub.answer('conditions.checked', { met: chance(0.8), conditions: [] })
  else if (stub.slot === 'repetition') stub.answer('condition.checked', { met: chance(0.5) })
  else if (stub.slot === 'notification') stub.answer('notification.ended', { actorId: stub.id })
  else if (stub.slot === 'attempt') endByChance(stub, random)
  else if (stub.of === 'run') {
    walker.neverGotGoing = chance(0.1)
    if (walker.neverGotGoing) stub.answer('run.unprepared', { error: 'no such file' })
    else stub.answer('run.prepared')
  } else if (chance(0.1)) stub.answer('node.unprepared', { error: 'not an integer' })
  else stub.answer('node.prepared', { retry: retry({ limit: below(2) }), conditions: [], met: chance(0.7) })
}

function endByChance(stub: InvokedStub, { chance, pick }: Random): void {
  const exitCode = pick([0, 0, 0, 1, 2])
  const error = exitCode === 0 ? {} : { error: `exit status ${exitCode}` }
  const { resumed } = stub.input as AttemptInput
  if (resumed && chance(0.4)) stub.answer('attempt.found')
  else if (asked(stub)) stub.answer('attempt.ended', chance(0.8) ? terminated : { exitCode: 0 })
  else if (chance(0.3)) stub.answer('attempt.began')
  else stub.answer('attempt.ended', { exitCode, ...error, outputMatched: exitCode !== 0 && chance(0.2) })
}

/** The oldest invoked actor at work gives its plainest answer; when only alarms are left, time passes. */
function answerPlainly(run: RunDrive): void {
  const [stub] = waitingServices(run)
  if (!stub) run.stage.advance(60_000)
  else if (stub.slot === 'conditions') stub.answer('conditions.checked', { met: true, conditions: [] })
  else if (stub.slot === 'repetition') stub.answer('condition.checked', { met: false })
  else if (stub.slot === 'notification') stub.answer('notification.ended', { actorId: stub.id })
  else if (stub.slot === 'attempt') stub.answer('attempt.ended', asked(stub) ? terminated : { exitCode: 0 })
  else if (stub.of === 'run') stub.answer('run.prepared')
  else stub.answer('node.prepared', { retry: retry(), conditions: [], met: true })
}
