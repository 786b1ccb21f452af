/** Masks secrets in JSON that the engine writes: once escaped, the log's mask does not know them. Source: execution-semantics 14.4.6. */
import type { Masking } from '../executor.ts'

// D756: encodings of a value are not masked
/**
 * A replacer for `stringify` that masks texts whose secrets would be hidden by escapes. Other texts are left to the mask of the
 * log, which records for later steps what its stars stand for.
 */
export const masksIn =
  (masking: Masking | undefined) =>
  (_key: string, value: unknown): unknown => {
    if (!masking || typeof value !== 'string') return value
    const { mask } = masking.secrets
    const written = JSON.stringify(value)
    return written === `"${value}"` || isHidden(mask(written), mask) ? value : mask(value)
  }

/** Whether the masked text shows no secret, escaped or not. */
function isHidden(shown: string, mask: (text: string) => string): boolean {
  try {
    const text: string = JSON.parse(shown)
    return mask(text) === text
  } catch {
    return false // a mask has removed half of an escape
  }
}
