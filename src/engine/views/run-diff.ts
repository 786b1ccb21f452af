/** What is different between two runs: params, definition, names of variables, steps, outputs, events. Source: http-api "Runs" (diff). */
import type { NodeStatus, RunKey } from '../../../machines/vocabulary.ts'
import type { Engine, HandlerView, RunView } from '../engine.ts'
import { type EventPair, firstDifference } from './first-difference.ts'
import { patchOf } from './patch.ts'

/** A text that one of two runs has, or both. */
export interface ChangedText {
  name: string
  before?: string
  after?: string
}

export interface StepTime {
  status: NodeStatus
  /** How long the step took; absent: it has not begun, or not ended. */
  ms?: number
}

export interface RunDiff {
  /** Params with another value, or that one of the runs lacks. */
  params: ChangedText[]
  /** Names of variables of the definition that only one of them has. */
  env: { added: string[]; removed: string[] }
  /** As a unified diff. Absent: the texts are equal, or too different to be compared. */
  definition?: string
  definitionChanged: boolean
  /** All steps of both, in the order of the later one. A step that one of them lacks has one side only. */
  steps: { name: string; before?: StepTime; after?: StepTime }[]
  /** The first event of an actor that the same actor of the other run did not have at this place. */
  event?: EventPair
  outputs: ChangedText[]
}

/** Length of a param or an output. */
const MOST_CHARACTERS = 1_000

/** @param before the run that `after` is compared with @param giveWay awaited between parts of the work; others have their turn */
export async function runDiff(
  engine: Pick<Engine, 'runSpec' | 'journal'>,
  before: RunView,
  after: RunView,
  giveWay: () => Promise<void> | undefined
): Promise<RunDiff> {
  const texts = [specOf(engine, before.run), specOf(engine, after.run)] as const
  const definitionChanged = texts[0] !== texts[1]
  const definition = definitionChanged ? patchOf(...texts) : undefined
  await giveWay()
  const event = await firstDifference(engine, before.run, after.run, giveWay)
  const [names, others] = [variablesOf(after), variablesOf(before)]
  return {
    params: changedTexts(paramsOf(before), paramsOf(after)),
    env: { added: without(names, others), removed: without(others, names) },
    definitionChanged,
    ...(definition === undefined ? {} : { definition }),
    steps: stepsOf(before, after),
    ...(event ? { event } : {}),
    outputs: changedTexts(outputsOf(before), outputsOf(after))
  }
}

const specOf = (engine: Pick<Engine, 'runSpec'>, key: RunKey) => engine.runSpec(key) ?? ''

const paramsOf = ({ run }: RunView) => run.params.map(({ name, value }) => [name, value] as const)
const outputsOf = ({ nodes }: RunView) =>
  nodes.flatMap(({ step, node }) =>
    step.output === undefined || node.output === undefined ? [] : [[step.output, node.output] as const]
  )
const variablesOf = ({ plan }: RunView) => new Set(plan.env.map(({ key }) => key))
const without = (names: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...names].filter((name) => !others.has(name))

function changedTexts(
  before: readonly (readonly [string, string])[],
  after: readonly (readonly [string, string])[]
): ChangedText[] {
  const [old, now] = [new Map(before), new Map(after)]
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((name) => {
    const [one, other] = [old.get(name), now.get(name)]
    if (one === other) return []
    return [
      {
        name,
        ...(one === undefined ? {} : { before: cut(one) }),
        ...(other === undefined ? {} : { after: cut(other) })
      }
    ]
  })
}
const cut = (text: string) => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text)

function stepsOf(before: RunView, after: RunView): RunDiff['steps'] {
  const old = new Map(before.nodes.map((view) => [view.step.name, timeOf(view)]))
  const now = new Map(after.nodes.map((view) => [view.step.name, timeOf(view)]))
  return [...new Set([...now.keys(), ...old.keys()])].map((name) => {
    const [one, other] = [old.get(name), now.get(name)]
    return { name, ...(one ? { before: one } : {}), ...(other ? { after: other } : {}) }
  })
}

function timeOf({ node: { status, startedAt, finishedAt } }: HandlerView): StepTime {
  if (startedAt === undefined || finishedAt === undefined) return { status }
  return { status, ms: Math.max(0, finishedAt - startedAt) }
}
