/** Definitions as JSON, those with problems included. Source: api-semantics 2 (DAGSummary, DAGDetails), 3.2, 3.3. */
import type { Plan } from '../../../machines/vocabulary.ts'
import { defaultParamsText } from '../../definition/dag/params.ts'
import type { Definition, Outline } from '../../definition/definition.ts'
import { HIST_RETENTION_DAYS, MAX_ACTIVE_RUNS } from '../../definition/fields/defaults.ts'
import { problemText } from '../../definition/problem-text.ts'
import type { Shape } from '../../schema/schema.ts'
import type { DagDetails, DagSummary, LocalDag } from '../contract/dag-shapes.ts'
import { conditionShape, stepShape } from './step-shape.ts'

/** The problems of a definition as its author reads them. */
export const errorsOf = (definition: Definition): string[] => definition.problems.map(problemText)

/** True when nothing of the text could be parsed. */
export const isUnreadable = ({ problems, outline: { steps, params, tags, description, group } }: Definition): boolean =>
  problems.some(({ path }) => path === '') &&
  steps.length + params.length + tags.length === 0 &&
  `${description}${group}` === ''

/**
 * DAG summary.
 * @param fileName the name of a definition whose name could not be read @param nextRun as text; empty: never
 */
export const dagSummary = (definition: Definition, fileName: string, nextRun: string): Shape<typeof DagSummary> =>
  summary({ ...definition.outline, name: definition.name || fileName }, definition.plan, nextRun)

/** DAG details; parameters as those of `dagSummary`. */
export const dagDetails = (definition: Definition, fileName: string, nextRun: string): Shape<typeof DagDetails> =>
  details({ ...definition.outline, name: definition.name || fileName }, definition.plan, nextRun)

/** The later documents of a definition, by name. They run when they are called, whatever their schedule says. */
export const localDags = ({ plan }: Definition): Shape<typeof LocalDag>[] =>
  (plan?.locals ?? [])
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((local) => ({ name: local.name, dag: details(local, local, ''), errors: [] }))

const summary = (
  { name, group, description, tags, params }: Outline,
  plan: Plan | undefined,
  nextRun: string
): Shape<typeof DagSummary> => ({
  name,
  group,
  description,
  schedule: (plan?.schedule.start ?? []).map((expression) => ({ expression })),
  params: params.map(({ name }) => name),
  defaultParams: defaultParamsText(params),
  tags: tags.map((tag) => tag.trim().toLowerCase()),
  queue: plan?.queue ?? '',
  maxActiveRuns: plan?.maxActiveRuns ?? MAX_ACTIVE_RUNS,
  nextRun
})

const details = (outline: Outline, plan: Plan | undefined, nextRun: string): Shape<typeof DagDetails> => ({
  ...summary(outline, plan, nextRun),
  env: (plan?.env ?? []).map(({ key, value }) => `${key}=${value}`),
  logDir: plan?.logDir ?? '',
  handlerOn: handlersShape(plan?.handlers ?? {}),
  steps: outline.steps.map((step) => stepShape(step)),
  delay: Math.ceil((plan?.delayMs ?? 0) / 1_000),
  histRetentionDays: plan?.histRetentionDays ?? HIST_RETENTION_DAYS,
  preconditions: (plan?.preconditions ?? []).map((condition) => conditionShape(condition, condition.error)),
  maxActiveSteps: plan?.maxActiveSteps ?? 0,
  runConfig: plan?.runConfig ?? { disableParamEdit: false, disableRunIdEdit: false }
})

const handlersShape = (handlers: Plan['handlers']): Shape<typeof DagDetails>['handlerOn'] =>
  Object.fromEntries(Object.entries(handlers).map(([kind, step]) => [kind, stepShape(step)]))
