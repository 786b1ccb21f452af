/** One run from its start to its end, driven by seeded chance against real node charts; what breaks a rule is written down. */
import type { NodeInput } from '../../machines/node.ts'
import { handlerFor } from '../../machines/policy/outcome.ts'
import type { AlarmInput } from '../../machines/slots.ts'
import type { RunStatus } from '../../machines/vocabulary.ts'
import { driveRun, type RunDrive } from '../support/charts.ts'
import { retry } from '../support/plans.ts'
import { type Random, seeded } from '../support/random.ts'
import { randomPlan } from '../support/random-plans.ts'
import { restartedRun, storedRun } from '../support/restart.ts'
import type { Hand } from '../support/stage.ts'
import { isTerminal, type NodeEnd, releases, runStatus, settledBy } from './run-reference.ts'

export type Rule =
  | 'ends'
  | 'maxActiveSteps'
  | 'dependencies'
  | 'stop'
  | 'no start after stop'
  | 'statuses'
  | 'outcome'
  | 'handlers'
  | 'restart'
export interface Walk {
  outcome: string | undefined
  restarts: number
  broken: { rule: Rule; detail: string }[]
}

export function walk(seed: number): Walk {
  const random = seeded(seed)
  const plan = randomPlan(random)
  let run = driveRun(plan)
  const { stage } = run
  const broken: Walk['broken'] = []
  let restarts = 0
  let neverGotGoing = false
  let stored: ReturnType<typeof storedRun>['nodes'] = []
  const require = (rule: Rule, holds: boolean, detail: string) => {
    if (!holds) broken.push({ rule, detail })
  }

  const endOf = (name: string): NodeEnd => {
    const snapshot = run.seen.get(`node/${name}`)
    return { status: run.status(name), continues: snapshot?.status === 'done' && snapshot.context.continues }
  }
  const nodes = () => plan.steps.map(({ name }) => endOf(name))
  const stepsBegun = () => run.begun.filter((id) => id.startsWith('node/'))
  let begunBeforeStop: number | undefined

  function check() {
    const { ledger, stop } = run.context()
    const running = run.running()
    require('maxActiveSteps', plan.maxActiveSteps === 0 || running.length <= plan.maxActiveSteps, running.join())
    for (const name of running) {
      const step = plan.steps.find((step) => step.name === name)
      for (const dependency of step?.depends ?? []) {
        const end = endOf(dependency)
        require('dependencies', isTerminal(end.status) && releases(end), `${name} after ${dependency}: ${end.status}`)
      }
      require('statuses', run.status(name) === 'running', `${name} is at work, its run says ${run.status(name)}`)
    }
    require('statuses', ledger.active.size ===
      running.length, `${ledger.active.size} active, ${running.length} at work`)
    if (stop !== undefined) begunBeforeStop ??= stepsBegun().length
    require('no start after stop', begunBeforeStop === undefined ||
      begunBeforeStop === stepsBegun().length, run.begun.join())
    if (run.outcome() === undefined) {
      const snapshot = run.actor.getSnapshot()
      require('stop', snapshot.matches('stopping') || snapshot.can({ type: 'run.stop', at: stage.now }), JSON.stringify(
        snapshot.value
      ))
    }
  }

  function restart() {
    restarts++
    stage.breaks('attempt', 0) // a fault that has not happened yet dies with the process
    const before = { ledger: run.context().ledger, value: run.state(), alarms: alarmsOf(run) }
    const saved = storedRun(run, stored)
    stored = saved.nodes
    run = restartedRun(run, saved)
    const { ledger } = run.context()
    const core = ({ status, ready, active, open, tally }: typeof ledger) =>
      JSON.stringify([status, ready, [...active].sort(), open, tally])
    require('restart', core(ledger) === core(before.ledger), `ledger ${core(before.ledger)}, then ${core(ledger)}`)
    require('restart', JSON.stringify(run.state()) ===
      JSON.stringify(before.value), `state ${JSON.stringify(run.state())}`)
    const alarms = alarmsOf(run)
    for (const alarm of before.alarms) require('restart', alarms.includes(alarm), `alarm ${alarm} is not armed again`)
    // One that rang before the restart may be a child still: it rings again, and nobody minds.
    for (const alarm of alarms)
      require('restart', before.alarms.includes(alarm) || dueOf(alarm) <= stage.now, `alarm ${alarm} is new`)
    for (const { input } of stage.live('attempt'))
      require('restart', (input as { resumed?: boolean }).resumed === true, 'an attempt is begun twice')
  }

  // By chance, for a while; then everything that is asked for is answered.
  for (let turn = 0; turn < 150 && run.outcome() === undefined; turn++) {
    if (random.chance(0.03)) run.stop()
    else if (random.chance(0.08)) restart()
    else {
      if (random.chance(0.02)) stage.breaks('attempt', 1)
      neverGotGoing = answerOne(run, random) || neverGotGoing
    }
    check()
  }
  stage.breaks('attempt', 0)
  for (let turn = 0; turn < 500 && run.outcome() === undefined; turn++) {
    finishOne(run)
    check()
  }

  require('ends', run.outcome() !== undefined, `still ${JSON.stringify(run.state())}`)
  require('ends', run.fault() === undefined, `threw ${run.fault()}`)
  const { stop } = run.context()
  if (stop === undefined && !neverGotGoing)
    for (const step of plan.steps) {
      const { status } = endOf(step.name)
      require('statuses', isTerminal(status), `${step.name} ends as ${status}`)
      if (!run.begun.includes(`node/${step.name}`))
        require('statuses', status === settledBy(step, endOf), `${step.name}: ${status}, not ${settledBy(step, endOf)}`)
    }
  const ended = { nodes: nodes(), stopped: stop === 'request' || stop === 'conditions', timedOut: stop === 'timeout' }
  const failedHandlers = run.begun.filter((id) => id.startsWith('handler/') && failedHandler(run, id))
  const expected = neverGotGoing
    ? stop === 'request'
      ? 'canceled'
      : 'failed'
    : runStatus({ ...ended, handlerFailed: failedHandlers.length > 0 })
  require('outcome', run.outcome() === expected, `${run.outcome()}, not ${expected}`)

  if (!neverGotGoing) {
    const first = runStatus({ ...ended, handlerFailed: false })
    const kind = handlerFor[first as keyof typeof handlerFor]
    const second = runStatus({ ...ended, handlerFailed: failedHandlers.some((id) => id !== 'handler/onExit') })
    const wanted: [string, RunStatus][] = []
    if (plan.handlers[kind]) wanted.push([`handler/on${kind[0]?.toUpperCase()}${kind.slice(1)}`, first])
    if (plan.handlers.exit) wanted.push(['handler/onExit', second])
    const had = run.begun
      .filter((id) => id.startsWith('handler/'))
      .map((id) => [id, (run.seen.get(id)?.context as NodeInput | undefined)?.runStatus])
    require('handlers', JSON.stringify(had) ===
      JSON.stringify(wanted), `${JSON.stringify(had)}, not ${JSON.stringify(wanted)}`)
  }
  return { outcome: run.outcome(), restarts, broken }
}

/** Alarms that are armed: whose, and when they ring. */
const alarmsOf = ({ stage }: RunDrive) =>
  stage.live('alarm').map(({ of, input }) => `of ${of} at ${(input as AlarmInput).dueAt}`)
const dueOf = (alarm: string) => Number(alarm.split(' ').at(-1))

/** A handler that failed, or that threw before its end. */
const failedHandler = ({ seen, actor }: RunDrive, id: string) => {
  const snapshot = seen.get(id)
  return snapshot?.status === 'done' ? snapshot.value === 'failed' : !(id in actor.getSnapshot().children)
}

const asked = ({ told }: Hand) => told.length > 0
const terminated = { exitCode: -1, signal: 'terminated', error: 'signal: terminated' }

/** One companion answers, or time passes. @returns whether it was the run's preparation that failed */
function answerOne({ stage }: RunDrive, { pick, chance, below }: Random): boolean {
  const waiting = stage.hands.filter(({ over, slot }) => !over && slot !== 'alarm')
  if (waiting.length === 0 || chance(0.25)) {
    stage.advance(below(3_000))
    return false
  }
  const hand = pick(waiting)
  if (hand.slot === 'conditions') hand.answer('conditions.checked', { met: chance(0.8), conditions: [] })
  else if (hand.slot === 'attempt') {
    if (asked(hand)) hand.answer('attempt.ended', chance(0.8) ? terminated : { exitCode: 0 })
    else if (chance(0.3)) hand.answer('attempt.began')
    else {
      const exitCode = pick([0, 0, 0, 1, 2])
      const error = exitCode === 0 ? {} : { error: `exit status ${exitCode}` }
      hand.answer('attempt.ended', { exitCode, ...error, outputMatched: exitCode !== 0 && chance(0.2) })
    }
  } else if (hand.of === 'run') {
    if (chance(0.9)) hand.answer('run.prepared')
    else {
      hand.answer('run.unprepared', { error: 'no such file' })
      return true
    }
  } else if (chance(0.1)) hand.answer('node.unprepared', { error: 'not an integer' })
  else hand.answer('node.prepared', { retry: retry({ limit: below(2) }), conditions: [], met: chance(0.7) })
  return false
}

/** The oldest companion at work gives its plainest answer; when only alarms are left, time passes. */
function finishOne({ stage }: RunDrive): void {
  const [hand] = stage.hands.filter(({ over, slot }) => !over && slot !== 'alarm')
  if (!hand) stage.advance(60_000)
  else if (hand.slot === 'conditions') hand.answer('conditions.checked', { met: true, conditions: [] })
  else if (hand.slot === 'attempt') hand.answer('attempt.ended', asked(hand) ? terminated : { exitCode: 0 })
  else if (hand.of === 'run') hand.answer('run.prepared')
  else hand.answer('node.prepared', { retry: retry(), conditions: [], met: true })
}
