/** `troupe sequence`: the messages between the actors of a run, as a Mermaid diagram or as JSON. Source: docs/inspect.md. */
import type { CommandModule } from '../../input/command.ts'
import { lookAt } from '../../owner/looked-at.ts'

/** As many as one answer has. */
const MESSAGES = 5_000

export const run: CommandModule['run'] = (args, context) =>
  lookAt(args, context, async ({ api, key, write }) => {
    const sequence = await api.getSequence({ path: key, query: { limit: MESSAGES } })
    write(sequence, () => [typeof sequence === 'string' ? sequence : sequence.mermaid.trimEnd()])
  })
