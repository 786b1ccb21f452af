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
    const place = { after: begin }
    await writeMore(looked, place)
    if (!args.on.has('follow') || !found) return
    let writing = Promise.resolve()
    let isAsked = false
    /** Several events at a time need one look. */
    const more = () => {
      if (isAsked) return
      isAsked = true
      writing = writing.then(() => {
        isAsked = false
        // An engine that has gone is waited for below, and what it has not answered is asked for later.
        return writeMore(looked, place).catch(() => {})
      })
    }
    const say = (text: string) => void (args.on.has('quiet') || context.err.write(`${text}\n`))
    // A run may take hours after the reader has found what it looked for: `troupe events etl --follow | grep -m 1 failed`.
    const { left } = context.out
    if (!client.here) await Promise.race([client.watch({ name, dagRunId }, more, say), ...(left ? [left] : [])])
    await writing
    await writeMore(looked, place)
  })

/** Writes all events after one, which is then the last. */
async function writeMore({ client, key, paint, tz, write }: LookedAt, place: { after: number }): Promise<void> {
  const time = timeTextIn(tz)
  for (;;) {
    const part: EventsPart = await client.facts.events(key, place.after)
    const shapes = eventsShape(part, time).events
    for (const [index, { record, causes = [] }] of part.events.entries())
      write(shapes[index], () => [eventLine(record, causes, paint, tz)])
    place.after = part.events.at(-1)?.record.seq ?? place.after
    if (part.next === undefined) return
  }
}
