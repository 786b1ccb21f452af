/** `troupe schema`: the JSON Schema of definitions, for editors. */
import type { CommandModule } from '../input/command.ts'

export const run: CommandModule['run'] = async ({ on }, { out }) => {
  const { schemaText } = on.has('tests')
    ? { schemaText: (await import('../../testing/suite/suite.ts')).suiteSchemaText }
    : await import('../../definition/fields/schema.ts')
  if (!on.has('quiet')) out.write(schemaText())
  return 0
}
