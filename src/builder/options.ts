/** The options of a step, as fields of the format. The reader of definitions checks their values. Source: docs/definition-format.md. */
import { didYouMean } from '../nearest.ts'
import { insteadOf } from '../schema/instead.ts'

/** A function that answers for a step before it begins; what it is given depends on the step. */
export type Answering = (given: unknown) => unknown

/** Options that are a function, by the name under which the step asks for it. */
export type Asking = 'preconditions' | 'env' | 'params' | 'items' | 'ask' | 'for'

export interface OptionKinds {
  /** Fields of the format. */
  fields: readonly string[]
  /** Settings of the executor. */
  settings?: readonly string[]
  /** Options that must be a function, or may be one. */
  functions: readonly Asking[]
  /** The option with handles of steps. Default: `depends` */
  handles?: 'depends' | 'reads'
}

const RUN = ['description', 'retryPolicy', 'timeoutSec', 'maxCleanUpTimeSec', 'onInterrupt', 'onMissing'] as const
const EDGE = ['description', 'continueOn'] as const
const WORK = ['continueOn', ...RUN] as const
const WITH_ENV = ['env', ...WORK] as const
const WAIT = [...EDGE, 'timeoutSec'] as const

/** What each construct of the builder takes, besides `depends`. */
const OPTIONS = {
  step: { fields: WORK, functions: ['preconditions'] },
  repeat: { fields: WORK, functions: ['preconditions'] },
  handler: { fields: RUN, functions: ['preconditions'], handles: 'reads' },
  use: { fields: WORK, functions: ['preconditions', 'params'] },
  eachPage: { fields: WORK, settings: ['maxConcurrent', 'pages'], functions: ['preconditions', 'items'] },
  each: { fields: WORK, settings: ['maxConcurrent'], functions: ['preconditions', 'items'] },
  shell: { fields: WITH_ENV, functions: ['preconditions', 'env'] },
  yaml: { fields: WITH_ENV, functions: ['preconditions', 'env'] },
  call: { fields: WORK, functions: ['preconditions', 'params'] },
  callEach: { fields: WORK, settings: ['maxConcurrent'], functions: ['preconditions', 'items', 'params'] },
  signal: { fields: WAIT, settings: ['onTimeout'], functions: ['preconditions', 'ask'] },
  approval: { fields: WAIT, settings: ['onRefusal'], functions: ['preconditions', 'ask'] },
  sleep: { fields: EDGE, functions: ['preconditions', 'for'] }
} as const satisfies Record<string, OptionKinds>

export type Construct = keyof typeof OPTIONS

export interface SplitOptions {
  /** Handles of steps. */
  depends: readonly unknown[]
  fields: Record<string, unknown>
  settings: Record<string, unknown>
  functions: Partial<Record<Asking, Answering>>
  /** Options that may be a function and are a value. */
  values: Partial<Record<Asking, unknown>>
  problems: string[]
}

/** Sorts the options of a step by what becomes of them. */
export function splitOptions(construct: Construct, options: unknown): SplitOptions {
  const split: SplitOptions = { depends: [], fields: {}, settings: {}, functions: {}, values: {}, problems: [] }
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    split.problems.push(`options: wanted an object, found ${shown(options)}`)
    return split
  }
  const { fields, functions, settings = [], handles = 'depends' }: OptionKinds = OPTIONS[construct]
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    const asking = functions.find((one) => one === name)
    if (name === handles) {
      if (Array.isArray(value)) split.depends = value
      else split.problems.push(`${handles}: wanted a list of handles, found ${shown(value)}`)
    } else if (asking && typeof value === 'function')
      split.functions[asking] = value as Answering // checked here
    else if (fields.includes(name)) split.fields[name] = value
    else if (settings.includes(name)) split.settings[name] = value
    else if (!asking)
      split.problems.push(`unknown option ${name}${hinted(name, [handles, ...fields, ...settings, ...functions])}`)
    else if (asking === 'ask' || asking === 'for') split.values[asking] = value
    else split.problems.push(`${name}: wanted a function, found ${shown(value)}`)
  }
  return split
}

/** What to add to the refusal of an unknown name. */
export function hinted(name: string, known: readonly string[]): string {
  const instead = insteadOf(name)
  return instead === undefined ? didYouMean(name, known) : `; ${instead}`
}

export function shown(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value)
  return typeof value === 'object' ? 'an object' : typeof value === 'function' ? 'a function' : String(value)
}
