/** What is different between two texts of a definition, masked and bounded. Loaded with the first change of one. */
import { createTwoFilesPatch } from 'diff'
import { cutText, digestOf, type Mask, maskLines, maskOf } from './bounded.ts'

const MOST_CHARACTERS = 4_000
/** Comparing takes the square of it. */
const MOST_EDITS = 1_000

/** As a unified diff; undefined: they are too different, or only in what is masked. */
export function textDiff(before: string, after: string, mask: Mask): string | undefined {
  const [old, fresh] = [maskLines(before, mask), maskLines(after, mask)]
  if (old === fresh) return undefined
  const patch = createTwoFilesPatch('before', 'after', old, fresh, undefined, undefined, {
    context: 2,
    maxEditLength: MOST_EDITS
  })
  return patch === undefined ? undefined : cutText(patch.split('\n').slice(3).join('\n'), MOST_CHARACTERS)
}

/** What an entry says of a text that was replaced. */
export function changedText(before: string, after: string, environment: Readonly<Record<string, string>>) {
  const diff = textDiff(before, after, maskOf(environment))
  return {
    before: { text: digestOf(before) },
    after: { text: digestOf(after), ...(diff === undefined ? {} : { diff }) }
  }
}
