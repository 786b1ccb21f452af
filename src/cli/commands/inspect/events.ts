/** `troupe events`: the transitions of a run and their causes; with --follow until it has ended. Source: docs/inspect.md. */
import type { RunKey } from '../../../../machines/vocabulary.ts'
import type { CommandModule } from '../../input/command.ts'
import { keyOf } from '../../input/requested-run.ts'
import { EVENTS_AT_A_TIME } from '../../owner/held-run.ts'
import { eventNumber, type LookedAt, lookAt } from '../../owner/looked-at.ts'
import { eventLine } from '../../view/inspection.ts'

// D412: `events --follow` ends with its reader
/** JSON is one event per line, because a followed stream has no end. */
export const run: CommandModule['run'] = (args, context) =>
  lookAt(args, context, async (at) => {
    const { client } = at
    const begin = eventNumber(args, 'after') ?? 0
    const key = keyOf(await at.run()) // the newest stays this run even if another begins meanwhile
    const looked = { ...at, key }
    const place = { after: begin }
    await writeMore(looked, place)
    if (!args.on.has('follow')) return
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
    if (!client.here) await Promise.race([client.follow(key, more, { say }), ...(left ? [left] : [])])
    await writing
    await writeMore(looked, place)
  })

/** Writes all events after one, which is then the last. */
async function writeMore(
  { api, key, paint, tz, write }: LookedAt & { key: RunKey },
  place: { after: number }
): Promise<void> {
  for (;;) {
    const query = { after: place.after, limit: EVENTS_AT_A_TIME, causes: true }
    const { events, next } = await api.getJournal({ path: key, query })
    for (const event of events) write(event, () => [eventLine(event, paint, tz)])
    place.after = events.at(-1)?.seq ?? place.after
    if (next === null) return
  }
}
