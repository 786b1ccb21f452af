/**
 * Executors of a host application: the interface. It imports no executor, whose types would have to compile in the host.
 * Source: definition-format "Executors"; the interface is ours.
 */
import type { Writable } from 'node:stream'
import type { Json, Plan, Step } from '../../../machines/vocabulary.ts'
import type { CustomType, Setting } from '../../definition/fields/custom-types.ts'
import { executorType } from '../../definition/fields/fields.ts'
import { TroupeError } from '../../errors.ts'

/** Settings by name. */
export type Settings = Readonly<Record<string, Setting>>

/** What a setting of a kind becomes. */
export interface Kinds {
  text: string
  flag: boolean
  number: number
  texts: string[]
  /** As pairs: a list in it gives one for each of its items. */
  map: [string, string][]
  any: Json
}

type Needed<S extends Settings> = { [K in keyof S as S[K]['required'] extends true ? K : never]: Kinds[S[K]['is']] }
type Free<S extends Settings> = { [K in keyof S as S[K]['required'] extends true ? never : K]?: Kinds[S[K]['is']] }

/** The config of a step by the settings of its executor: those that are not required may be absent. */
export type ConfigOf<S extends Settings> = Needed<S> & Free<S>

/** One execution of a step, everything expanded. */
export interface CustomExecution<Config> {
  stepName: string
  config: Config
  /** `command` and `args` as words, without quotes. Empty when the executor reads text. */
  words: string[]
  /** The whole command, when the executor reads text. */
  command?: string
  script?: string
  /** Absolute, exists. */
  workingDir: string
  /** The step's whole environment. */
  env: Readonly<Record<string, string>>
  /** To the step's logs; secrets are masked on the way. A stream that is full says so: wait for `drain`, or use `pipeline`. */
  stdout: Writable
  stderr: Writable
  /** Aborts when the step is to stop. What is thrown then is no failure. */
  stop: AbortSignal
  /** Aborts when its clean-up time is over: nothing more is waited for. */
  kill: AbortSignal
}

/**
 * How it ended: nothing or 0 is success, another number is the step's exit code, and a text in `output` is what the step's `output`
 * takes instead of all that was printed. An error that is thrown fails the step with exit code 1, its message on stderr.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: an executor without a result need not return one.
export type CustomEnd = number | { exitCode: number; output: string } | void

/** An executor of a host application. An execution that a crash of the engine cuts off is `interrupted: outcome unknown`. */
export interface CustomExecutor<S extends Settings = Settings> extends CustomType {
  /** The name for `executor.type`: letters, digits, `_` and `-`, and no name of a built-in one. */
  type: string
  config?: S
  /** How the command reaches it: split into words before variables are put in (default), or whole, for a language of its own. */
  reads?: 'words' | 'text'
  execute(execution: CustomExecution<ConfigOf<S>>): Promise<CustomEnd>
  /** The engine closes, and waits for it; executions are not waited for any more. */
  close?(): void | Promise<void>
}

/** Gives an executor's `execute` the types of its settings. */
export const defineExecutor = <const S extends Settings = Record<never, never>>(
  executor: CustomExecutor<S>
): CustomExecutor<S> => executor

// D641
/** By name. @throws TroupeError bad_request for a name that cannot be, or is taken */
export function customTypes(executors: readonly CustomExecutor[]): Map<string, CustomType> {
  const types = new Map<string, CustomType>()
  for (const executor of executors) {
    const { type } = executor
    const refuse = (why: string) =>
      new TroupeError('bad_request', `executors: wanted types of their own, found ${JSON.stringify(type)}: ${why}`)
    if (!/^[a-z][\w-]*$/i.test(type)) throw refuse('letters, digits, _ and - make a type')
    if (executorType(type)) throw refuse('it is built in')
    if (types.has(type)) throw refuse('it is there twice')
    types.set(type, executor)
  }
  return types
}

/**
 * Refuses a new run that this program could not execute: what it would wait for may never come. One that has begun waits.
 * @throws TroupeError bad_request naming the steps and their executors
 */
export function refuseUnsupported(plan: Plan, executors: readonly CustomExecutor[]): void {
  const lacking = stepsOf(plan).filter(
    ({ executor: { type } }) => !executorType(type) && !executors.some((executor) => executor.type === type)
  )
  if (lacking.length === 0) return
  const steps = lacking.map(({ name, executor: { type } }) => `step "${name}" needs the executor "${type}"`)
  throw new TroupeError(
    'bad_request',
    `${steps.join(', ')}: an application that opened this home registers it, this program does not have it; start the run there`
  )
}

const stepsOf = ({ steps, handlers, locals }: Plan): Step[] => [
  ...steps,
  ...Object.values(handlers),
  ...locals.flatMap(stepsOf)
]
