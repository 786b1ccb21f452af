/**
 * The interface of executors of a host application. It imports no executor, so that the host need not compile their types.
 * Source: definition-format "Executors"; the interface is ours.
 */
import type { Writable } from 'node:stream'
import type { Json } from '../../../machines/vocabulary.ts'
import type { CustomType, Setting } from '../../definition/fields/custom-types.ts'
import { executorType } from '../../definition/fields/executor-types.ts'
import { TroupeError } from '../../errors.ts'

/** Settings by name. */
export type Settings = Readonly<Record<string, Setting>>

/** The value of a setting of each kind. */
export interface Kinds {
  text: string
  flag: boolean
  number: number
  texts: string[]
  /** As pairs; a list gives one for each of its items. */
  map: [string, string][]
  any: Json
}

type Needed<S extends Settings> = { [K in keyof S as S[K]['required'] extends true ? K : never]: Kinds[S[K]['is']] }
type Free<S extends Settings> = { [K in keyof S as S[K]['required'] extends true ? never : K]?: Kinds[S[K]['is']] }

/** The config of a step; settings that are not required may be absent. */
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
  /** Absolute path of an existing folder. */
  workingDir: string
  /** The complete environment of the step. */
  env: Readonly<Record<string, string>>
  /** Writes to the step's logs; secrets are masked on the way. With backpressure: wait for `drain`, or use `pipeline`. */
  stdout: Writable
  stderr: Writable
  /** Aborts when the step is to stop. An error thrown then is no failure. */
  stop: AbortSignal
  /** Aborts when its clean-up time is over: the engine waits no longer. */
  kill: AbortSignal
}

/**
 * The result: nothing or 0 is success, another number is the step's exit code, and a text in `output` becomes the step's `output`
 * instead of everything printed. A thrown error fails the step with exit code 1, its message on stderr.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: an executor without a result need not return one.
export type CustomEnd = number | { exitCode: number; output: string } | void

/** An executor of a host application. An execution that is cut off by a crash of the engine is `interrupted: outcome unknown`. */
export interface CustomExecutor<S extends Settings = Settings> extends CustomType {
  /** The name for `executor.type`: letters, digits, `_` and `-`; not the name of a built-in executor. */
  type: string
  config?: S
  /** How the executor receives the command: split into words before variables are expanded (default), or whole, for its own language. */
  reads?: 'words' | 'text'
  execute(execution: CustomExecution<ConfigOf<S>>): Promise<CustomEnd>
  /** Called when the engine closes, which waits for it, but no longer for executions. */
  close?(): void | Promise<void>
}

/** Types the settings for an executor's `execute`. */
export const defineExecutor = <const S extends Settings = Record<never, never>>(
  executor: CustomExecutor<S>
): CustomExecutor<S> => executor

// D641: a host application declares its settings as data
/** By name. @throws TroupeError bad_request for an invalid name, or one that is taken */
export function customTypes(executors: readonly CustomExecutor[]): Map<string, CustomType> {
  const types = new Map<string, CustomType>()
  for (const executor of executors) {
    const { type } = executor
    const refuse = (why: string) =>
      new TroupeError('bad_request', `executors: wanted unique type names, found ${JSON.stringify(type)}: ${why}`)
    if (!/^[a-z][\w-]*$/i.test(type)) throw refuse('letters, digits, _ and - make a type')
    if (executorType(type)) throw refuse('it is built in')
    if (types.has(type)) throw refuse('it is there twice')
    types.set(type, executor)
  }
  return types
}
