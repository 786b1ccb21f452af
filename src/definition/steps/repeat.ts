/** `repeatPolicy` in each of its forms. Source: execution-semantics 6.2. */
import type { Condition, Repeat } from '../../../machines/vocabulary.ts'
import type { WrittenRepeat } from '../expand.ts'
import { backoff, pattern } from '../fields/forms.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { count, exitCodes, filled, isText, optional, type Read, seconds } from '../fields/values.ts'
import { type Problems, shortened, wrong } from '../problems.ts'
import { type Field, toJson } from '../yaml/value.ts'

/** Undefined: the step runs once. */
export const repeatPolicy: Read<WrittenRepeat> = (problems, field) => {
  const fields = fieldsOf(problems, field, 'repeatPolicy')
  const asked = optional(problems, fields?.get('condition'), filled)
  const expected = optional(problems, fields?.get('expected'), pattern)
  const condition: Condition | undefined =
    asked === undefined ? undefined : { condition: asked, ...(expected && { expected }) }
  const codes = optional(problems, fields?.get('exitCode'), exitCodes)
  const written = {
    condition,
    exitCodes: codes,
    intervalMs: optional(problems, fields?.get('intervalSec'), seconds),
    limit: optional(problems, fields?.get('limit'), count),
    backoff: optional(problems, fields?.get('backoff'), backoff),
    maxIntervalMs: optional(problems, fields?.get('maxIntervalSec'), seconds)
  }
  const repeat = fields?.get('repeat')
  const mode = repeat && modeOf(problems, repeat)
  const isTested = condition !== undefined || Boolean(codes?.length)
  if (mode === 'while' || mode === 'until') {
    // A condition that could not be read has been reported already.
    const isTold =
      (fields?.has('exitCode') && !codes) || (fields?.has('condition') && !isText(fields.get('condition') ?? field))
    if (!isTested && !isTold) {
      const reason = `repeat mode '${mode}' requires either 'condition' or 'exitCode' to be specified`
      wrong(problems, repeat ?? field, reason)
    }
    return { ...written, mode }
  }
  if (mode) return { ...written, mode: 'while' }
  if (!isTested) return undefined
  return { ...written, mode: condition?.expected === undefined ? 'while' : 'until' }
}

/** `true` and `false` stand for themselves. */
function modeOf(problems: Problems, field: Field): Repeat['mode'] | boolean {
  const { value } = field
  const data = value.kind === 'scalar' ? value.data : undefined
  if (typeof data === 'boolean' || data === 'while' || data === 'until') return data
  const found = value.kind === 'scalar' ? value.text : toJson(value)
  const reason = `invalid value for repeat: '${shortened(found)}'. It must be 'while', 'until', or a boolean`
  wrong(problems, field, reason)
  return false
}
