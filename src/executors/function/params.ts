/** Params of a function, checked by its schema. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { CustomType } from '../../definition/fields/custom-types.ts'
import { isThenable, messageOf, whenRejected } from '../../errors.ts'
import { InvalidParams } from './errors.ts'
import type { HostFunction, HostFunctions } from './function.ts'

/** What the schema makes of the params. @throws InvalidParams; Error: the schema has thrown, which may be retried */
export async function checkedParams({ name, params: schema }: HostFunction, params: unknown): Promise<unknown> {
  if (!schema) return params
  const found = await answerOf(schema, params, name)
  if (!found.issues) return found.value
  throw new InvalidParams(`params of the function "${name}": ${sentencesOf(found.issues).join('; ')}`)
}

async function answerOf(
  schema: StandardSchemaV1,
  params: unknown,
  name: string
): Promise<StandardSchemaV1.Result<unknown>> {
  try {
    return await schema['~standard'].validate(params)
  } catch (cause) {
    const about = `params of the function "${name}" could not be checked, its schema has thrown`
    throw new Error(`${about}: ${messageOf(cause).slice(0, LONGEST_ISSUE)}`, { cause })
  }
}

const MOST_ISSUES = 20
const LONGEST_ISSUE = 500

function sentencesOf(issues: readonly StandardSchemaV1.Issue[]): string[] {
  const said = issues.slice(0, MOST_ISSUES).map(({ message, path = [] }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
    return `${place && `${place}: `}${message}`.slice(0, LONGEST_ISSUE)
  })
  return issues.length > MOST_ISSUES ? [...said, `and ${issues.length - MOST_ISSUES} more`] : said
}

/** How a definition's function steps are checked by an engine that has these functions. */
export const functionType = (functions: HostFunctions): CustomType => ({
  validate({ config: { name, params = {} } }) {
    const fn = typeof name === 'string' ? functions.get(name) : undefined
    if (!fn?.params || isOpen(params)) return []
    const about = `params of the function "${fn.name}"`
    try {
      const found = fn.params['~standard'].validate(params)
      if (isThenable(found)) {
        whenRejected(found, () => {}) // it is asked again when the step runs
        return []
      }
      return sentencesOf(found.issues ?? []).map((sentence) => `${about}: ${sentence}`)
    } catch (error) {
      return [`${about} could not be checked, its schema has thrown: ${messageOf(error).slice(0, LONGEST_ISSUE)}`]
    }
  }
})

/** Whether a text in it has variables or commands. */
export const isOpen = (value: unknown): boolean =>
  typeof value === 'string'
    ? /[$`]/.test(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(isOpen)
