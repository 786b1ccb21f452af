/** `troupe suspend` and `troupe resume`: whether the schedule of a definition starts runs. Source: api-semantics 5; our addition. */
import type { CommandModule } from '../../input/command.ts'
import { storedName } from '../../input/dag-name.ts'
import { act } from '../../owner/answer.ts'
import { ofDefinition } from '../../owner/no-runs.ts'

const asking =
  (suspend: boolean, said: string): CommandModule['run'] =>
  async (args, context) => {
    const fileName = storedName(args.operand)
    return act(
      args,
      context,
      ({ api }) => ofDefinition(api, fileName, api.suspendDag({ path: { fileName }, body: { suspend } })),
      (_done, write) => write({ fileName, suspended: suspend }, () => [`${fileName} ${said}`])
    )
  }

export const suspend: CommandModule = { run: asking(true, 'is suspended: its schedule starts no run') }
export const resume: CommandModule = { run: asking(false, 'is resumed: its schedule starts runs') }
