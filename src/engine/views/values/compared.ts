/** The values of a step beside those of the latest run in which it succeeded: what differs comes first. */
import type { NodeRecord, RunKey, RunRecord } from '../../../../machines/vocabulary.ts'
import { TroupeError } from '../../../errors.ts'
import type { Engine, RunView } from '../../engine.ts'
import { type ShownText, type ShownValue, type ValuesOfStep, valuesOf } from './step-values.ts'
import { nodesOf } from './variables.ts'

/** `before` is what the other run had there; absent: nothing. */
export interface Compared {
  change?: 'changed' | 'added' | 'removed'
  before?: string
}

export interface StepValuesView {
  step: string
  /** The run that it is compared with; absent: there is none. */
  against?: RunKey
  texts: (ShownText & Compared)[]
  workingDir: string
  values: (ShownValue & Compared)[]
  /** Values that were left out. */
  omitted: number
}

const MOST_VALUES = 300
const SUCCEEDED: ReadonlySet<string> = new Set(['succeeded', 'partially_succeeded'])
/** Runs that are looked at for one in which the step succeeded. */
const LOOKED_AT = 10

/** @param earlier runs of the same name that the caller sees, newest first @throws TroupeError not_found */
export async function comparedValues(
  engine: Pick<Engine, 'config' | 'run' | 'runSpec'>,
  view: RunView,
  step: string,
  earlier: readonly RunRecord[],
  giveWay: () => Promise<void> | undefined,
  at?: readonly NodeRecord[]
): Promise<StepValuesView> {
  const now = await valuesOf(engine, view, step, giveWay, at)
  const { name, dagRunId } = view.run
  if (!now)
    throw new TroupeError(
      'not_found',
      `run ${dagRunId} of ${name} has no step or handler named ${JSON.stringify(step)}`
    )
  const other = await lastSuccess(engine, view.run, step, earlier, giveWay)
  const before = other && (await valuesOf(engine, other, step, giveWay))
  const values = before ? sideBySide(now, before) : now.values
  const sorted = values.toSorted((a, b) => weightOf(a) - weightOf(b))
  return {
    step,
    ...(other ? { against: { name: other.run.name, dagRunId: other.run.dagRunId } } : {}),
    texts: before ? besideTexts(now.texts, before.texts, [dagRunId, other.run.dagRunId]) : now.texts,
    workingDir: now.workingDir,
    values: sorted.slice(0, MOST_VALUES),
    omitted: Math.max(0, sorted.length - MOST_VALUES)
  }
}

async function lastSuccess(
  engine: Pick<Engine, 'run'>,
  { dagRunId, createdAt }: RunRecord,
  step: string,
  earlier: readonly RunRecord[],
  giveWay: () => Promise<void> | undefined
): Promise<RunView | undefined> {
  const before = earlier.filter(
    (run) => run.dagRunId !== dagRunId && run.createdAt <= createdAt && SUCCEEDED.has(run.status)
  )
  for (const run of before.slice(0, LOOKED_AT)) {
    const view = engine.run(run)
    if (view && nodesOf(view).some((one) => one.step.name === step && one.node.status === 'succeeded')) return view
    await giveWay()
  }
  return undefined
}

/** Differences first, then what the step names. */
const weightOf = ({ change, isUsed, from }: ShownValue & Compared): number =>
  (change ? 0 : 4) + (isUsed ? 0 : 2) + (isOfEvery({ from }) ? 1 : 0)

function sideBySide(now: ValuesOfStep, before: ValuesOfStep): StepValuesView['values'] {
  const old = new Map(before.values.map((value) => [value.name, value]))
  const names = new Set(now.values.map(({ name }) => name))
  const gone = before.values.flatMap(({ value, ...rest }) =>
    names.has(rest.name) || isOfEvery(rest)
      ? []
      : [{ ...rest, change: 'removed' as const, ...(value === undefined ? {} : { before: value }) }]
  )
  return [...now.values.map(beside), ...gone]

  function beside(value: ShownValue): ShownValue & Compared {
    if (isOfEvery(value)) return value
    const other = old.get(value.name)
    if (!other) return { ...value, change: 'added' }
    const [one, two] = [now, before].map(({ variables }) => variables.get(value.name))
    if (one?.from === two?.from && one?.written === two?.written && one?.value === two?.value) return value
    const shown = other.value ?? other.written
    return { ...value, change: 'changed', ...(shown === undefined ? {} : { before: shown }) }
  }
}

/** Variables that differ in every run, or are not on record. */
const isOfEvery = ({ from }: Pick<ShownValue, 'from'>) => from === 'run' || from === 'server'

/** @param ids of both runs, which no text differs by */
function besideTexts(now: ShownText[], before: ShownText[], [own, other]: [string, string]): (ShownText & Compared)[] {
  return now.map((text) => {
    const old = before.find(({ name }) => name === text.name)
    if (!old) return { ...text, change: 'added' }
    const [one, two] = [text.text ?? text.written, old.text ?? old.written]
    if (one.replaceAll(own, other) === two.replaceAll(own, other)) return text
    return { ...text, change: 'changed', before: two }
  })
}
