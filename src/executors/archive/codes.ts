/** Exit codes of archive steps, and which failure has which. Source: execution-semantics 10.5.10. */
import { codeOf, messageOf } from '../../errors.ts'
import { ExecutionError } from '../frame/in-process.ts'

export const CODES = {
  other: 1,
  configuration: 2,
  source: 3,
  destination: 4,
  format: 5,
  extract: 6,
  create: 7,
  compress: 8,
  decompress: 9,
  permission: 10,
  space: 11,
  corrupted: 12,
  password: 13,
  canceled: 14
} as const

export const failure = (kind: keyof typeof CODES, message: string, cause?: unknown): ExecutionError =>
  new ExecutionError(CODES[kind], message, { cause })

const BY_ERRNO: Record<string, keyof typeof CODES> = {
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'permission',
  ENOSPC: 'space',
  EDQUOT: 'space',
  EFBIG: 'space'
}

/** A thrown error as a failure with an exit code: its own, that of the system error, or `kind`. */
export function failureOf(error: unknown, kind: keyof typeof CODES): ExecutionError {
  if (error instanceof ExecutionError) return error
  const code = codeOf(error) ?? ''
  const message = messageOf(error)
  if (code.startsWith('Z_')) return failure('corrupted', `the archive is corrupted: ${message}`, error)
  return failure(BY_ERRNO[code] ?? kind, message, error)
}
