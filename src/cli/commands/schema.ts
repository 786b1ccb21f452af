/** `troupe schema`: the JSON Schema of definitions, for editors. */
import type { CommandRoom } from '../input/command.ts'

export const run: CommandRoom['run'] = async ({ on }, { out }) => {
  const { schemaText } = await import('../../definition/fields/schema.ts')
  if (!on.has('quiet')) out.write(schemaText())
  return 0
}
