/** What a function has thrown, as it is kept: name, message, code, causes and stack; sizes bounded, secrets masked. */
import type { Thrown } from '../../../machines/vocabulary.ts'
import { guarded, UNREADABLE } from '../../errors.ts'

const MOST = { name: 200, message: 4_096, code: 200, stack: 8_192, causes: 5 }

/** @param error anything: JavaScript can throw all */
export const thrownOf = (error: unknown, mask: (text: string) => string, depth = 0): Thrown =>
  guarded(() => read(error, mask, depth), { name: 'unknown', message: UNREADABLE })

function read(error: unknown, mask: (text: string) => string, depth: number): Thrown {
  const text = (value: unknown, most: number) => mask(String(value)).slice(0, most)
  if (!(error instanceof Error) && !looksLikeError(error))
    return { name: typeof error, message: text(isPlain(error) ? JSON.stringify(error) : error, MOST.message) }
  const { name, message, stack, cause, code }: Error & { code?: unknown } = error
  const frames = framesIn(stack)
  return {
    name: text(name || 'Error', MOST.name),
    message: text(message, MOST.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: text(code, MOST.code) } : {}),
    ...(frames ? { stack: text(frames, MOST.stack) } : {}),
    ...(cause === undefined || depth >= MOST.causes ? {} : { cause: thrownOf(cause, mask, depth + 1) })
  }
}

/** An error of another realm, such as that of `vm` or of a test runner. */
const looksLikeError = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'message' in error && 'stack' in error

const isPlain = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The message stands before them, and is kept once. */
const framesIn = (stack: unknown): string =>
  typeof stack === 'string'
    ? stack
        .split('\n')
        .filter((line) => /^\s+at /.test(line))
        .map((line) => line.trim())
        .join('\n')
    : ''

/** In a sentence: `RangeError: busy (EBUSY), caused by Error: socket hang up`. */
export function saidBy({ name, message, code, cause }: Thrown): string {
  const own = `${message ? `${name}: ${message}` : name}${code === undefined ? '' : ` (${code})`}`
  return cause ? `${own}, caused by ${saidBy(cause)}` : own
}
