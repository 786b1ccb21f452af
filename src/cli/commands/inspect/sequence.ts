/** `troupe sequence`: the messages between the actors of a run, as a Mermaid diagram or as JSON. Source: docs/inspect.md. */
import { sequenceShape } from '../../../api/shapes/fact-shapes.ts'
import { timeTextIn } from '../../../api/shapes/time-text.ts'
import type { CommandModule } from '../../input/command.ts'
import { lookAt } from '../../owner/looked-at.ts'

export const run: CommandModule['run'] = (args, context) =>
  lookAt(args, context, async ({ client, key, tz, write }) => {
    const sequence = await client.facts.sequence(key)
    write(sequenceShape(sequence, timeTextIn(tz)), () => [sequence.mermaid.trimEnd()])
  })
