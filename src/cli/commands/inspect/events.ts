/** `troupe events`: the transitions of a run and their causes; with --follow until it has ended. Source: docs/inspect.md. */
import { eventsShape } from '../../../api/shapes/fact-shapes.ts'
import { timeTextIn } from '../../../api/shapes/time-text.ts'
import type { EventsPart } from '../../../engine/engine.ts'
import type { CommandModule } from '../../input/command.ts'
import { eventNumber, type LookedAt, lookAt } from '../../owner/looked-at.ts'
import { eventLine } from '../../view/inspection.ts'

// D412
/** JSON is one event per line, because a followed stream has no end. */
export const run: CommandModule['run'] = (args, context) =>
  lookAt(args, context, async (at) => {
    const { client, key } = at
    const begin = eventNumber(args, 'after') ?? 0
    const found = await client.run(key.name, key.dagRunId)
    const { name, dagRunId } = found?.run ?? key // `latest` stays this run even if another begins meanwhile
    const looked = { ...at, key: { name, dagRunId } }
    let after = await writeAfter(looked, begin)
    if (!args.on.has('follow') || !found) return
    let writing = Promise.resolve()
    const more = () => {
      writing = writing.then(async () => {
        after = await writeAfter(looked, after)
      })
    }
    // A run may take hours after the reader has found what it looked for: `troupe events etl --follow | grep -m 1 failed`.
    const { left } = context.out
    if (!client.here) await Promise.race([client.watch({ name, dagRunId }, more), ...(left ? [left] : [])])
    more()
    await writing
  })

/** Writes all events after one. @returns the number of the last */
async function writeAfter({ client, key, paint, tz, write }: LookedAt, after: number): Promise<number> {
  const time = timeTextIn(tz)
  for (let last = after; ; ) {
    const part: EventsPart = await client.facts.events(key, last)
    const shapes = eventsShape(part, time).events
    for (const [index, { record, causes = [] }] of part.events.entries())
      write(shapes[index], () => [eventLine(record, causes, paint, tz)])
    last = part.events.at(-1)?.record.seq ?? last
    if (part.next === undefined) return last
  }
}
