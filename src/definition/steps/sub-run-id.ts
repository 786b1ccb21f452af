/** Ids of sub DAG runs follow from caller and params, so that a retry of the caller finds them. Source: execution-semantics 9.5.1. */
import { createHash } from 'node:crypto'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

// D51: the id of a sub run in a further pass is computed
/**
 * @param params the parameters' text
 * @param repetition set for a repeated pass: no other of the caller has the same
 * @param other set when the id without it is taken
 * @returns 43 or 44 characters of base58
 */
export function subRunId(
  parentRunId: string,
  step: string,
  params: string,
  repetition?: string,
  other?: string
): string {
  const parts = [parentRunId, step, params, repetition, other].filter((part) => part !== undefined)
  return base58(createHash('sha256').update(parts.join(':')).digest())
}

function base58(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 58n) text = ALPHABET[Number(rest % 58n)] + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return ALPHABET.charAt(0).repeat(zeros < 0 ? bytes.length : zeros) + text
}
