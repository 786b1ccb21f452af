/** Secrets in JSON that the engine itself writes: behind its escapes no mask knows them again. Source: execution-semantics 14.4.6. */
import type { Masking } from '../executor.ts'

// D756
/**
 * For `stringify`: masks before it those texts in which something would be seen behind it. The others are left to the mask of the
 * log, which knows for later steps what its stars stand for.
 */
export const masksIn =
  (masking: Masking | undefined) =>
  (_key: string, value: unknown): unknown => {
    if (!masking || typeof value !== 'string') return value
    const { mask } = masking.secrets
    const written = JSON.stringify(value)
    return written === `"${value}"` || isHidden(mask(written), mask) ? value : mask(value)
  }

/** Whether what is shown of a text has no secret in it, escapes or not. */
function isHidden(shown: string, mask: (text: string) => string): boolean {
  try {
    const text: string = JSON.parse(shown)
    return mask(text) === text
  } catch {
    return false // a mask has taken half of an escape
  }
}
