/** Fields that are, or may be, a regular expression. Source: execution-semantics 1.7. */
import { RE2JS } from 're2js'
import { messageOf } from '../../errors.ts'
import { type Problems, shortened, wrong, wrongValue } from '../problems.ts'
import type { Field } from '../yaml/value.ts'
import { isText, type Read, text, textOf } from './values.ts'

const MAX_PATTERN = 10_000

/** A text that may begin with `re:`. */
export const pattern: Read<string> = (problems, field) =>
  isText(field) && textOf(field).startsWith('re:') ? compiled(problems, field, 3) : text(problems, field)

/** A regular expression that counts as absent when it is empty. */
export const regex: Read<string> = (problems, field) =>
  (isText(field) ? compiled(problems, field, 0) : text(problems, field)) || undefined

/** Patterns run on a linear-time engine; one it cannot compile is a problem. */
function compiled(problems: Problems, field: Field, start: number): string | undefined {
  const written = textOf(field)
  if (problems.full()) return written
  if (written.length > MAX_PATTERN) {
    wrong(problems, field, `a regular expression has at most ${MAX_PATTERN} characters, this one has ${written.length}`)
    return undefined
  }
  try {
    RE2JS.compile(written.slice(start))
    return written
  } catch (cause) {
    const reason = shortened(messageOf(cause))
    wrongValue(problems, field, `invalid regular expression: ${reason}`)
    return undefined
  }
}
