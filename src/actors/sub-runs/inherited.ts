/** What a sub DAG run sees of its caller while it is loaded; its steps get none of it. Source: execution-semantics 3.5.5. */
import type { Caller, NodePlace, Plan } from '../../../machines/vocabulary.ts'
import type { Secrets } from '../../masking/secrets.ts'
import type { StepServices } from '../root/step-services.ts'
import { placeOfHandler, type RunScope, stepAt } from '../run/run-scope.ts'
import { viewOf } from '../step/lookups.ts'

type Variables = Readonly<Record<string, string>>

export interface Inherited {
  values: Variables
  /** Names of variables that are data. */
  data: ReadonlySet<string>
}

/** A root run has no caller. */
const NOTHING: Inherited = { values: {}, data: new Set() }

/**
 * The caller's DAG `env`, params, outputs and the calling step's `env`, but no secrets; nothing when the caller is not open. All sub
 * runs of one execution see the same: it is evaluated once, backticks of the step's `env` included.
 * @param scope that of the run that calls; absent: it is not open
 */
export async function inheritedFrom(
  services: StepServices,
  scope: RunScope | undefined,
  caller: Caller | undefined,
  signal: AbortSignal
): Promise<Inherited> {
  if (!caller || !scope) return NOTHING
  const { plan } = scope
  const place = placeOf(plan, caller.step)
  if (place === undefined) return NOTHING
  const { parent: run, attempt } = caller
  const before = evaluated.get(scope)?.get(place)
  if (before?.attempt === attempt) return before.inherited
  const inherited = viewOf(services, scope, { run, place, attempt }, stepAt(plan, place), { signal }).then(
    ({ variables: { all, data } }) => ({ values: withoutSecrets(all, scope.secrets), data })
  )
  const places = evaluated.get(scope) ?? new Map<NodePlace, Evaluated>()
  evaluated.set(scope, places.set(place, { attempt, inherited }))
  inherited.catch(() => places.delete(place)) // the next call may succeed
  return inherited
}

/** The server's environment, overlaid by what is inherited. All sub runs of an execution share the object. */
export function withInherited(environment: Variables, { values }: Inherited): Record<string, string> {
  const known = merged.get(values)
  if (known?.environment === environment) return known.both
  const both = { ...environment, ...values }
  merged.set(values, { environment, both })
  return both
}
const merged = new WeakMap<Variables, { environment: Variables; both: Record<string, string> }>()

interface Evaluated {
  /** Number of the execution. */
  attempt: number
  inherited: Promise<Inherited>
}
/** The latest execution of each calling step. A run that continues after a restart has another scope. */
const evaluated = new WeakMap<RunScope, Map<NodePlace, Evaluated>>()

function withoutSecrets(values: Variables, { none, hidesIn }: Secrets): Variables {
  return none ? values : Object.fromEntries(Object.entries(values).filter(([, value]) => !hidesIn(value)))
}

function placeOf({ steps, handlers }: Plan, name: string): NodePlace | undefined {
  const index = steps.findIndex((step) => step.name === name)
  if (index >= 0) return index
  const handler = Object.values(handlers).find((step) => step.name === name)
  return handler && placeOfHandler(handler)
}
