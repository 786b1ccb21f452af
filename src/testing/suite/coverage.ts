/** Which steps, handlers and branches of the tested workflows the tests have reached. */
import type { Plan, Step } from '../../../machines/vocabulary.ts'
import type { PlayedRun } from './play-test.ts'

/** A way that a definition writes down, such as `extract: retried`. */
export interface Covered {
  dag: string
  kind: 'step' | 'handler' | 'branch'
  name: string
  isReached: boolean
}

export interface Coverage {
  note(runs: readonly PlayedRun[]): void
  list(): Covered[]
}

/** @param plans of the definitions, local workflows included */
export function openCoverage(plans: readonly Plan[]): Coverage {
  const reached = new Set<string>()
  const reach = (dag: string, kind: Covered['kind'], name: string) => void reached.add(`${dag}/${kind}/${name}`)

  function noteStep(
    dag: string,
    kind: Covered['kind'],
    { view: { run }, states }: PlayedRun,
    step: Step,
    node: PlayedRun['view']['nodes'][number]['node']
  ): void {
    const been = [...(states.get(step.name) ?? [])]
    const isExecuted = been.some((state) => state.startsWith('attempting'))
    const branch = (name: string) => reach(dag, 'branch', `${step.name}: ${name}`)
    if (isExecuted) reach(dag, kind, step.name)
    if (isExecuted) branch(HELD)
    if (node.status === 'skipped' && been.includes('preparing')) branch(NOT_HELD)
    if (been.includes('waiting')) branch(RETRIED)
    if (been.includes('repeating')) branch(REPEATED)
    if (been.some((state) => state.startsWith('expiring') || state.startsWith('attempting.expiring'))) branch(TIMED_OUT)
    if (node.status === 'failed' && run.status !== 'failed') branch(GONE_ON)
  }
  return {
    note(runs) {
      for (const one of runs) {
        const { view, states } = one
        const { name } = view.run
        const dag = plans.some((plan) => plan.name === name) ? name : view.plan.name
        const own = states.get('') ?? new Set()
        if (own.has('checking') && own.has('working')) reach(dag, 'branch', `preconditions: ${HELD}`)
        if (own.has('checking') && !own.has('working')) reach(dag, 'branch', `preconditions: ${NOT_HELD}`)
        for (const { step, node } of view.nodes) noteStep(dag, 'step', one, step, node)
        for (const handler of Object.values(view.handlers))
          if (handler) noteStep(dag, 'handler', one, handler.step, handler.node)
      }
    },
    list: () =>
      plans.flatMap((plan) =>
        waysOf(plan).map((way) => ({
          dag: plan.name,
          ...way,
          isReached: reached.has(`${plan.name}/${way.kind}/${way.name}`)
        }))
      )
  }
}

const HELD = 'preconditions hold'
const NOT_HELD = 'a precondition does not hold'
const RETRIED = 'retried'
const REPEATED = 'repeated'
const TIMED_OUT = 'timed out'
const GONE_ON = 'failed, and the run goes on'

// D1131: branches are the ways that a definition writes down
/** What of a plan can be reached. */
function waysOf(plan: Plan): Pick<Covered, 'kind' | 'name'>[] {
  const handlers = Object.values(plan.handlers)
  const branches = (step: Step): string[] => [
    ...(step.preconditions.length > 0 ? [HELD, NOT_HELD] : []),
    ...(step.retry.limit ? [RETRIED] : []),
    ...(step.repeat ? [REPEATED] : []),
    ...(step.timeoutMs > 0 ? [TIMED_OUT] : []),
    ...(step.continueOn.failure ? [GONE_ON] : [])
  ]
  return [
    ...plan.steps.map(({ name }) => ({ kind: 'step' as const, name })),
    ...handlers.map(({ name }) => ({ kind: 'handler' as const, name })),
    ...(plan.preconditions.length > 0 ? [HELD, NOT_HELD] : []).map((name) => ({
      kind: 'branch' as const,
      name: `preconditions: ${name}`
    })),
    ...[...plan.steps, ...handlers].flatMap((step) =>
      branches(step).map((name) => ({ kind: 'branch' as const, name: `${step.name}: ${name}` }))
    )
  ]
}
