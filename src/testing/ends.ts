/** How a mocked step ends, in the words of a test, and as an executor reports it. */
import type { Json, RunKey } from '../../machines/vocabulary.ts'
import { TroupeError } from '../errors.ts'
import { durationMs } from '../host/duration.ts'

/** One execution of a step, or a command of a condition or in backticks, as a mock sees it. */
export interface MockCall<P = Json> {
  /** Absent: a command that is run before there is a run. */
  run?: RunKey
  /** `dag/step`; absent: a command. */
  step?: string
  /** Params of a function; for any other step those of its run, by name. */
  params: P
  /** 1, 2, ... with retries and passes. */
  attempt: number
  /** The engine's clock, epoch ms. */
  at: number
  /** With all variables expanded; absent: it has none. */
  command?: string
  script?: string
  config?: Json
}

/** What `exits` makes: an end with an exit code and what was printed. */
export class Exit {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** The value of the step's `output`, where that differs from what was printed. */
  readonly output: string | undefined
  constructor(exitCode: number, { stdout = '', stderr = '', output }: ExitOptions = {}) {
    this.exitCode = exitCode
    this.stdout = stdout
    this.stderr = stderr
    this.output = output
  }
}
export interface ExitOptions {
  stdout?: string
  stderr?: string
  output?: string
}

/** An end with an exit code. */
export function exits(exitCode: number, options: ExitOptions = {}): Exit {
  if (!Number.isSafeInteger(exitCode) || exitCode < 0 || exitCode > 255)
    throw new TroupeError('bad_request', `exits: wanted an exit code from 0 to 255, found ${exitCode}`)
  return new Exit(exitCode, options)
}

/** An end that comes later: `after` such as `90s`, `5m`, `2h`, `7d`. */
export interface Later<R> {
  after: string | number
  then: R | Error | Exit
}

/** What `later` makes. */
class Delayed<R = Json> {
  readonly after: string | number
  readonly end: R | Error | Exit
  constructor(after: string | number, end: R | Error | Exit) {
    this.after = after
    this.end = end
  }
}
// D1130: `later('5m', end)` does the same as `{ after: '5m', then: end }`
/** The end `{ after, then }`, which linters take for a promise. */
export function later(after: string | number, end: Error | Exit): Delayed<never>
export function later<R extends Json>(after: string | number, end: R | Error | Exit): Delayed<R>
export function later<R extends Json>(after: string | number, end: R | Error | Exit): Delayed<R> {
  return new Delayed(after, end)
}

export type One<R> = R | Error | Exit | Later<R> | Delayed<R>
/** A constant end, one for each call in order, or a function of the call. */
export type Ends<R, P = Json> = One<R> | readonly One<R>[] | ((call: MockCall<P>) => One<R> | Promise<One<R>>)

/**
 * What a mock of a function may return: what the function returns, and any text where it returns a certain one, since the type of a result
 * is inferred from the function and is narrower than its author means, such as `R-${number}`.
 */
export type Like<R> = R extends string
  ? string
  : R extends number
    ? number
    : R extends boolean
      ? boolean
      : R extends readonly (infer I)[]
        ? readonly Like<I>[]
        : R extends object
          ? { readonly [K in keyof R]: Like<R[K]> }
          : R extends void
            ? null // the result of a function that returns nothing
            : R

/** An end, with nothing left to be found out. */
export interface End {
  exitCode: number
  stdout: string
  stderr: string
  output?: string
  afterMs: number
  /** Returned by what stands for a function. */
  value: Json
  /** Thrown by it instead. */
  error?: Error
}

/** A text is printed, any other value as JSON; an error ends with code 1 and its message on stderr. */
export function endOf(one: One<Json>): End {
  if (one instanceof Delayed) return { ...endOf(one.end), afterMs: durationMs(one.after, 'after') }
  if (isLater(one)) return { ...endOf(one.then), afterMs: durationMs(one.after, 'after') }
  if (one instanceof Error)
    return { exitCode: 1, stdout: '', stderr: `${one.message}\n`, afterMs: 0, value: null, error: one }
  if (one instanceof Exit) {
    const { exitCode, stdout, stderr, output } = one
    const error = exitCode === 0 ? {} : { error: new Error(stderr.trim() || `exit status ${exitCode}`) }
    const value = output === undefined ? stdout : parsed(output)
    return { exitCode, stdout, stderr, afterMs: 0, value, ...error, ...(output === undefined ? {} : { output }) }
  }
  return { exitCode: 0, stdout: textOf(one), stderr: '', afterMs: 0, value: one ?? null }
}

/** The value of JSON; any other text is itself. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

const isLater = (one: One<Json>): one is Later<Json> =>
  typeof one === 'object' && one !== null && 'after' in one && 'then' in one && Object.keys(one).length === 2
