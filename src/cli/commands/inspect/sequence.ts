/** `troupe sequence`: the messages between the actors of a run, as a Mermaid diagram or as JSON. Source: docs/inspect.md. */
import type { CommandModule } from '../../input/command.ts'
import { keyOf } from '../../input/requested-run.ts'
import { lookAt } from '../../owner/looked-at.ts'

/** As many as one answer has. */
const MESSAGES = 5_000

export const run: CommandModule['run'] = (args, context) =>
  lookAt(args, context, async ({ api, run, write }) => {
    const sequence = await api.getSequence({ path: keyOf(await run()), query: { limit: MESSAGES } })
    write(sequence, () => [typeof sequence === 'string' ? sequence : sequence.mermaid.trimEnd()])
  })
