/** `troupe schema`: the JSON Schema of definitions, for editors. */
import type { CommandRoom } from './commands.ts'

export const run: CommandRoom['run'] = async (_, { out }) => {
  const { schemaText } = await import('../spec/schema.ts')
  out.write(schemaText())
  return 0
}
