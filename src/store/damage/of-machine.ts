/** Limits of the machine, which say nothing about a store: they are never called damage, and nothing is set aside for them. */
import { messageOf } from '../../errors.ts'

/** Codes of Node, and of LMDB, which has numbers. */
const CODES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 24, 23, 12])
const WORDS = /allocation failed|out of memory|cannot allocate memory|too many open files/i

// D1627: a limit of the machine is never damage
export function isOfMachine(error: unknown): boolean {
  const { code }: { code?: unknown } = Object(error)
  return CODES.has(code) || isSaidOfMachine(messageOf(error))
}

/** Whether the last words of a process say so. */
export const isSaidOfMachine = (words: string): boolean => WORDS.test(words)
