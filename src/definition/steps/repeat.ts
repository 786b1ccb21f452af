/** `repeatPolicy` in each of its forms. Source: execution-semantics 6.2. */
import type { Condition, Repeat } from '../../../machines/vocabulary.ts'
import { BACKOFF, COUNT, EXIT_CODES, either, FLAG, oneOf, SECONDS, TEXT, written } from '../fields/field-forms.ts'
import { key, levelOf } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { pattern } from '../fields/patterns.ts'
import { exitCodes, filled, isText, optional, type Read } from '../fields/values.ts'
import { type Problems, shortened, wrong } from '../problems.ts'
import { type Field, toJson } from '../yaml/value.ts'
import { functionName } from './functions.ts'

export const repeatPolicy = levelOf<Repeat>({
  first: 'mode condition function exitCodes',
  together: {
    if: { required: ['repeat'], properties: { repeat: { enum: ['while', 'until'] } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nothing awaits it.
    then: {
      anyOf: [
        written('condition', { not: { enum: [null, ''] } }),
        written('function', { not: { enum: [null, ''] } }),
        written('exitCode', { anyOf: [{ type: ['integer', 'string'] }, { type: 'array', minItems: 1 }] })
      ]
    }
  }
})({
  repeat: key(
    either('`while`, `until`, or boolean', oneOf('while', 'until'), FLAG),
    'Repeats while the test holds, or until it does; `true` alone repeats while the step succeeds.',
    'while',
    { to: false, otherwise: 'by what is tested' }
  ),
  condition: key(TEXT, 'Tested after each pass: a value for `expected`, or a command that must exit 0.', '"${STATE}"', {
    to: false
  }),
  expected: key(TEXT, 'The text it must equal; with `re:` a pattern.', 'ready', { to: false }),
  function: key(
    TEXT,
    'A function of the host application, asked after each pass that has succeeded, in place of a condition: true, the test holds.',
    'order/poll#repeat',
    { to: false }
  ),
  exitCode: key(EXIT_CODES, 'Exit codes to test for, if there is no condition.', '[1]', { to: false, default: [] }),
  intervalSec: key(SECONDS, 'Pause between two passes.', '10', { to: 'intervalMs', default: 0 }),
  limit: key(COUNT, 'Maximum number of passes; 0 sets no limit.', '30', { default: 0 }),
  backoff: key(BACKOFF, 'Factor by which the pause grows.', 'true', { default: false }),
  maxIntervalSec: key(SECONDS, 'Longest pause with `backoff`; 0 sets no limit.', '60', {
    to: 'maxIntervalMs',
    default: 0
  })
})

/** Undefined: the step runs once. */
export const readRepeatPolicy: Read<Repeat> = (problems, field) => {
  const fields = fieldsOf(problems, field, repeatPolicy)
  const asked = optional(problems, fields?.get('condition'), filled)
  const expected = optional(problems, fields?.get('expected'), pattern)
  const condition: Condition | undefined =
    asked === undefined ? undefined : { condition: asked, ...(expected && { expected }) }
  const askedFunction = optional(problems, fields?.get('function'), functionName)
  for (const other of ['condition', 'expected', 'exitCode'])
    if (askedFunction && fields?.has(other))
      wrong(problems, fields.get(other) ?? field, `function and ${other} are exclusive`)
  const codes = optional(problems, fields?.get('exitCode'), exitCodes)
  const found = repeatPolicy.read(problems, fields, {
    mode: 'while',
    condition,
    function: askedFunction,
    exitCodes: codes ?? []
  })
  const repeat = fields?.get('repeat')
  const mode = repeat && modeOf(problems, repeat)
  const isTested = (condition ?? askedFunction) !== undefined || Boolean(codes?.length)
  if (mode === 'while' || mode === 'until') {
    // A condition that could not be read has been reported already.
    const isTold =
      (fields?.has('exitCode') && !codes) || (fields?.has('condition') && !isText(fields.get('condition') ?? field))
    if (!isTested && !isTold) {
      const reason = `repeat mode '${mode}' requires either 'condition' or 'exitCode' to be specified`
      wrong(problems, repeat ?? field, reason)
    }
    return { ...found, mode }
  }
  if (mode) return found
  if (!isTested) return undefined
  return condition?.expected === undefined ? found : { ...found, mode: 'until' }
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
