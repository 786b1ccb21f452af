/** What a step of a run had: its texts with their values in place, its variables, and what differs from a run in which it succeeded. */
import { resolve } from 'node:path'
import type { NodeRecord } from '../../../../machines/vocabulary.ts'
import { ownFolder } from '../../../actors/run/run-environment.ts'
import { allowedEnvironment } from '../../../platform/allowed-environment.ts'
import { atHome } from '../../../platform/at-home.ts'
import type { Engine, RunView } from '../../engine.ts'
import { hiddenIn } from './hidden.ts'
import { namesIn, textsOf } from './texts.ts'
import {
  addEntries,
  addOfEngine,
  addOfRun,
  type Budget,
  nodesOf,
  put,
  type StepOfRun,
  type ValueSource,
  type Variables
} from './variables.ts'

/** A value as it is shown. */
export interface ShownValue {
  name: string
  from: ValueSource
  of?: string
  /** The text in the definition, where that is not the value. */
  written?: string
  /** Absent: it is a secret, or not on record. */
  value?: string
  /** Characters of a value that was cut. */
  length?: number
  isPartial?: true
  /** The step names it, or it is part of one that it names. */
  isUsed: boolean
}

export interface ShownText {
  name: string
  written: string
  /** With values in place of references; absent: it has none. */
  text?: string
  length?: number
}

/** What belongs to one run. */
export interface ValuesOfStep {
  texts: ShownText[]
  workingDir: string
  values: ShownValue[]
  /** As they are, for a comparison. */
  variables: Variables
}

type Sources = Pick<Engine, 'config' | 'runSpec'>

const MOST_CHARACTERS = 1_000
const MOST_OF_A_TEXT = 10_000
/** Characters of values that are put into texts for one step. */
const MOST_PUT = 4_000_000

// D1756: what a step had is derived, not recorded
/** @param at records of its nodes at the moment that is shown; default: the latest */
export async function valuesOf(
  engine: Sources,
  view: RunView,
  name: string,
  giveWay: () => Promise<void> | undefined,
  at: readonly NodeRecord[] = nodesOf(view).map(({ node }) => node)
): Promise<ValuesOfStep | undefined> {
  const found = nodesOf(view).find(({ step }) => step.name === name)
  if (!found) return undefined
  const { run, plan } = view
  const { step } = found
  const { config } = engine
  const index = view.nodes.indexOf(found)
  const of: StepOfRun = {
    view,
    step,
    place: index < 0 ? (name as 'onExit') : index, // the reader of the definition names handlers so
    nodes: new Map(at.map((node) => [node.step, node]))
  }
  const budget: Budget = { left: MOST_PUT }
  const { secrets, dotenv } = await hiddenIn(plan, run, config, budget)
  await giveWay()
  const variables: Variables = new Map()
  for (const key of Object.keys(allowedEnvironment(config.environment)))
    variables.set(key, { name: key, from: 'server' })
  const isOwn = namesWrittenIn(engine.runSpec(run) ?? '')
  for (const key of dotenv) variables.set(key, { name: key, from: 'dotenv' })
  await addEntries(variables, plan.env, (key) => (isOwn.has(key) ? 'env' : 'base'), budget, dotenv)
  const workingDir = await folderOf(plan.home ?? plan.sourceDir ?? ownFolder(config.dataDir, run), plan.workingDir)
  for (const secret of plan.secrets) variables.set(secret.name, { name: secret.name, from: 'secret' })
  addOfRun(variables, of)
  const dir = await folderOf(workingDir, step.dir)
  addOfEngine(variables, run, name, dir)
  await addEntries(variables, step.env, () => 'step', budget)
  await giveWay()

  /** As it is shown: masked as far as it goes, then cut. */
  function shown(text: string, most: number): { text: string; length?: number } {
    const masked = secrets.mask(text.slice(0, most + secrets.patterns.automaton.longest))
    return text.length > most ? { text: masked.slice(0, most), length: text.length } : { text: masked }
  }
  async function folderOf(above: string, written: string | undefined): Promise<string> {
    if (written === undefined) return above
    const { account } = config.commands?.(plan) ?? {}
    return resolve(above, atHome((await put(written, variables, budget)).text, account?.home))
  }

  const texts: ShownText[] = []
  for (const { name: what, written } of textsOf(step)) {
    const expanded = await put(written, variables, budget, (id) => referred(view, id))
    const asWritten = shown(written, MOST_OF_A_TEXT)
    const whole = shown(expanded.text, MOST_OF_A_TEXT)
    texts.push({
      name: what,
      written: asWritten.text,
      ...(whole.text === asWritten.text ? {} : { text: whole.text }),
      ...(whole.length === undefined ? {} : { length: whole.length })
    })
    await giveWay()
  }
  const used = namesIn(step, variables)
  const values: ShownValue[] = []
  for (const { value, written, ...rest } of variables.values()) {
    const isUsed = used.has(rest.name)
    // Nobody asks what the engine and the server tell every step.
    if (!isUsed && (rest.from === 'run' || rest.from === 'server')) continue
    const { text, length } = value === undefined ? {} : shown(value, MOST_CHARACTERS)
    const template = written === undefined ? undefined : shown(written, MOST_CHARACTERS).text
    values.push({
      ...rest,
      isUsed,
      ...(text === undefined ? {} : { value: text }),
      ...(length === undefined ? {} : { length }),
      ...(template === undefined || template === text ? {} : { written: template })
    })
    await giveWay()
  }
  return { texts, workingDir: secrets.mask(dir), values, variables }
}

/** What a reference to a step by its id finds. */
function referred(view: RunView, id: string) {
  const node = nodesOf(view).find(({ step }) => step.id === id)?.node
  if (!node) return undefined
  const { stdout, stderr, exitCode } = node
  return {
    ...(stdout === undefined ? {} : { stdout }),
    ...(stderr === undefined ? {} : { stderr }),
    ...(exitCode === undefined ? {} : { exitCode: String(exitCode) })
  }
}

/** Names that a definition sets anywhere: a variable that it does not is one of the base file. */
const namesWrittenIn = (spec: string): ReadonlySet<string> =>
  new Set(Array.from(spec.matchAll(/(\w+)["']?\s*[:=]/g), ([, name = '']) => name))
