/** What is different between two texts of a definition. */
import { createTwoFilesPatch } from 'diff'

/** Lines that were added and removed: comparing takes the square of it. */
const MOST_EDITS = 2_000

/** A unified diff of files named before and after; undefined: they are too different to be compared. */
export const patchOf = (before: string, after: string): string | undefined =>
  createTwoFilesPatch('before', 'after', before, after, undefined, undefined, {
    context: 3,
    maxEditLength: MOST_EDITS,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true }
  })
