/** Limits for all documents of one text together. Source: architecture 7. */

export const MAX_STEPS = 10_000

// D502: texts have limits beyond the documented ones
/** Choice: two groups of thousands side by side in a chain would make millions. */
export const MAX_DEPENDENCIES = 100_000

/** Used so far. */
export interface Budget {
  steps: number
  dependencies: number
}
