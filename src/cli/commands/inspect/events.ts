/** `troupe events`: the transitions of a run, and what led to each; with --follow until it has ended. Source: docs/inspect.md. */
import { eventsShape } from '../../../api/shapes/fact-shapes.ts'
import { timeTextIn } from '../../../api/shapes/time-text.ts'
import type { EventsPart } from '../../../engine/engine.ts'
import type { CommandRoom } from '../../input/command.ts'
import { eventNumber, type LookedAt, lookAt } from '../../owner/looked-at.ts'
import { eventLine } from '../../view/facts.ts'

// D412
/** JSON is one event a line: a stream has no end to wait for. */
export const run: CommandRoom['run'] = (args, surroundings) =>
  lookAt(args, surroundings, async (at) => {
    const { door, key } = at
    const begin = eventNumber(args, 'after') ?? 0
    const found = await door.run(key.name, key.dagRunId)
    const { name, dagRunId } = found?.run ?? key // the newest stays this one, also when another begins meanwhile
    const looked = { ...at, key: { name, dagRunId } }
    let after = await tell(looked, begin)
    if (!args.on.has('follow') || !found) return
    let telling = Promise.resolve()
    const more = () => {
      telling = telling.then(async () => {
        after = await tell(looked, after)
      })
    }
    // A run may go on for hours after the reader has what it looked for: `troupe events etl --follow | grep -m 1 failed`.
    const { left } = surroundings.out
    if (!door.here) await Promise.race([door.watch({ name, dagRunId }, more), ...(left ? [left] : [])])
    more()
    await telling
  })

/** Tells all events after one. @returns the number of the last */
async function tell({ door, key, paint, tz, write }: LookedAt, after: number): Promise<number> {
  const time = timeTextIn(tz)
  for (let last = after; ; ) {
    const part: EventsPart = await door.facts.events(key, last)
    const shapes = eventsShape(part, time).events
    for (const [index, { record, causes = [] }] of part.events.entries())
      write(shapes[index], () => [eventLine(record, causes, paint, tz)])
    last = part.events.at(-1)?.record.seq ?? last
    if (part.next === undefined) return last
  }
}
