/** What must hold of a run at every moment and at its end, however it is driven. Source: execution-semantics 5, 7, 8. */
import type { NodeInput } from '../../../machines/node.ts'
import { handlerFor } from '../../../machines/policy/outcome.ts'
import type { Plan } from '../../../machines/vocabulary.ts'
import type { RunDrive } from '../../support/charts/charts.ts'
import { isTerminal, type NodeEnd, releases, runStatus, settledBy } from './run-reference.ts'

export type Rule =
  | 'ends'
  | 'maxActiveSteps'
  | 'dependencies'
  | 'stop'
  | 'after a stop'
  | 'statuses'
  | 'outcome'
  | 'handlers'
  | 'restart'

/** A run on its way. */
export interface Walker {
  plan: Plan
  run: RunDrive
  /** Its preparation failed. */
  neverGotGoing: boolean
  /** Steps that had started when no more were to, and those that had not been resolved then. */
  atStop?: { begun: string; untouched: string[] }
  broken: { rule: Rule; detail: string }[]
}

const require = ({ broken }: Walker, rule: Rule, holds: boolean, detail: string) => {
  if (!holds) broken.push({ rule, detail })
}
const stepsBegun = ({ run }: Walker) => run.begun.filter((id) => id.startsWith('node/')).join()
const endOf =
  ({ plan, run }: Walker) =>
  (name: string): NodeEnd => {
    const status = run.status(name)
    if (status === 'skipped')
      return { status, continues: plan.steps.some((step) => step.name === name && step.continueOn.skipped) }
    const snapshot = run.seen.get(`node/${name}`)
    return { status, continues: snapshot?.status === 'done' && snapshot.context.continues }
  }

/** Checked after every event. */
export function checkMoment(walker: Walker): void {
  const { plan, run } = walker
  const { runState, stop } = run.context()
  const running = run.running()
  require(walker, 'maxActiveSteps', plan.maxActiveSteps === 0 || running.length <= plan.maxActiveSteps, running.join())
  for (const name of running) {
    for (const dependency of plan.steps.find((step) => step.name === name)?.depends ?? []) {
      const end = endOf(walker)(dependency)
      const terminal = isTerminal(end.status) && releases(end)
      require(walker, 'dependencies', terminal, `${name} runs, ${dependency} is ${end.status}`)
    }
    require(walker, 'statuses', run.status(name) === 'running', `${name} is at work, its run says ${run.status(name)}`)
  }
  require(walker, 'statuses', runState.active.size ===
    running.length, `${runState.active.size} active, ${running.length} at work`)
  if (stop !== undefined) {
    walker.atStop ??= {
      begun: stepsBegun(walker),
      untouched: plan.steps.map(({ name }) => name).filter((name) => run.status(name) === 'not_started')
    }
    require(walker, 'after a stop', stepsBegun(walker) === walker.atStop.begun, `started ${stepsBegun(walker)}`)
  }
  if (run.outcome() !== undefined) return
  const snapshot = run.actor.getSnapshot()
  const at = run.stage.now
  require(walker, 'stop', snapshot.can({ type: 'run.force', at }), `not in ${JSON.stringify(snapshot.value)}`)
}

/** Checked when every request of the run has been answered. */
export function checkEnd(walker: Walker): void {
  const { run } = walker
  require(walker, 'ends', run.outcome() !== undefined, `still ${JSON.stringify(run.state())}`)
  require(walker, 'ends', run.fault() === undefined, `threw ${run.fault()}`)
  checkStatuses(walker)
  checkOutcome(walker)
}

function checkStatuses(walker: Walker): void {
  const { plan, run, neverGotGoing, atStop } = walker
  const { stop } = run.context()
  if (stop === 'request')
    for (const name of atStop?.untouched ?? [])
      require(walker, 'after a stop', run.status(name) === 'not_started', `${name} became ${run.status(name)}`)
  if (neverGotGoing || stop === 'request' || stop === 'conditions') return
  for (const step of plan.steps) {
    const { status } = endOf(walker)(step.name)
    require(walker, 'statuses', isTerminal(status), `${step.name} ends as ${status}`)
    if (stop !== undefined || run.begun.includes(`node/${step.name}`)) continue
    const wanted = settledBy(step, endOf(walker))
    require(walker, 'statuses', status === wanted, `${step.name}: ${status}, not ${wanted}`)
  }
}

function checkOutcome(walker: Walker): void {
  const { plan, run, neverGotGoing } = walker
  const { stop } = run.context()
  const nodes = plan.steps.map(({ name }) => endOf(walker)(name))
  const why = { stopped: stop === 'request', unmet: stop === 'conditions', timedOut: stop === 'timeout' }
  const after = (handlerFailed: boolean) => runStatus({ nodes, ...why, handlerFailed })
  const handlers = run.begun.filter((id) => id.startsWith('handler/'))
  const failed = handlers.filter((id) => handlerFailed(run, id))

  const unprepared = stop === 'request' ? after(false) : 'failed'
  const wanted = neverGotGoing ? unprepared : after(failed.length > 0)
  require(walker, 'outcome', run.outcome() === wanted, `${run.outcome()}, not ${wanted}`)

  const answers = {
    succeeded: 'onSuccess',
    partially_succeeded: 'onSuccess',
    failed: 'onFailure',
    canceled: 'onCancel'
  }
  const first = after(false) as keyof typeof answers // runs end with one of the four
  const due: string[] = []
  if (!neverGotGoing && plan.handlers[handlerFor[first]]) due.push(`handler/${answers[first]} received ${first}`)
  if (!neverGotGoing && plan.handlers.exit)
    due.push(`handler/onExit received ${after(failed.some((id) => id !== 'handler/onExit'))}`)
  const ran = handlers.map((id) => `${id} received ${(run.seen.get(id)?.context as NodeInput | undefined)?.runStatus}`)
  require(walker, 'handlers', ran.join() === due.join(), `${ran.join() || 'none'}, not ${due.join() || 'none'}`)
}

/** It failed, or it threw before its end. */
function handlerFailed({ seen, actor }: RunDrive, id: string): boolean {
  const snapshot = seen.get(id)
  return snapshot?.status === 'done' ? snapshot.value === 'failed' : !(id in actor.getSnapshot().children)
}
