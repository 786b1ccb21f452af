/** Checks that the payload schemas of a definition can be used, where it is validated or saved. Source: embedding 2.5. */
import type { Clock } from '../clock.ts'
import type { Definition } from '../definition/definition.ts'
import { checkSchemas } from './text-thread.ts'

/** A definition with the problems of its payload schemas. */
export async function withCheckedSchemas(definition: Definition, clock: Clock): Promise<Definition> {
  const { plan, problems, ...rest } = definition
  const steps = [plan, ...(plan?.locals ?? [])].flatMap((one) => one?.steps ?? [])
  const named = steps.flatMap(({ name, wait }) => (wait?.payloadSchema ? [{ name, schema: wait.payloadSchema }] : []))
  if (!plan || named.length === 0) return definition
  const unusable = await checkSchemas(
    named.map(({ schema }) => JSON.stringify(schema)),
    clock
  )
  const found = named.flatMap(({ name }, index) =>
    unusable[index] ? [{ message: `field 'payloadSchema' of step ${name}: ${unusable[index]}`, path: 'steps' }] : []
  )
  return found.length === 0 ? definition : { ...rest, problems: [...problems, ...found] }
}
