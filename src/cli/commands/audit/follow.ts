/** `troupe audit --follow`: the newest entries, then each as it is written, until nobody reads any more. */
import type { Entry } from '../../../audit/entry.ts'
import { matcher } from '../../../audit/filter.ts'
import { type Clock, pause } from '../../../clock.ts'
import { TroupeError } from '../../../errors.ts'
import type { AuditLog, ListedFilter } from './audit-log.ts'
import { newest } from './newest.ts'

interface FollowOptions {
  filter: ListedFilter
  /** Greatest number of entries that are shown of those that are there. */
  limit: number
  clock: Clock
  /** Aborts when no more is wanted. */
  enough: AbortSignal
  /** Shows entries, the oldest first. */
  show(entries: readonly Entry[]): Promise<void>
  /** Told once when there is nothing yet, and whenever a server has stopped answering. */
  say(text: string): void
}

/** How often new entries are looked for. */
const LOOK_MS = 1_000
/** Most of the time there are few. */
const FEW = 20
const MANY = 1_000

// D1566: `audit --follow` asks for the newest entries once a second, without its filter, until one that it has seen
/** @throws TroupeError: what is refused, or a server that does not answer the first time */
export async function follow(log: AuditLog, options: FollowOptions): Promise<void> {
  const { filter, limit, clock, enough, show, say } = options
  const [latest] = (await log.part({}, 1, undefined)).entries
  let last = latest?.seq ?? 0
  // What is written from here on is found below.
  const known = (await newest(log, filter, limit)).filter(({ seq }) => seq <= last)
  if (known.length === 0) say(`${await log.whyEmpty('no entry matches')}; waiting for one`)
  else await show(known.reverse())
  const matches = matcher(filter)
  let isSilent = false
  for (;;) {
    await pause(clock, LOOK_MS, enough)
    if (enough.aborted) return
    try {
      const fresh = await entriesAfter(log, last)
      isSilent = false
      last = fresh.at(-1)?.seq ?? last
      const wanted = fresh.filter(matches)
      if (wanted.length > 0) await show(wanted)
    } catch (error) {
      if (!(error instanceof TroupeError && error.code === 'service_unavailable')) throw error
      if (!isSilent) say(`${error.message}; waiting for it`)
      isSilent = true
    }
  }
}

/** The oldest first. */
async function entriesAfter(log: AuditLog, last: number): Promise<Entry[]> {
  const found: Entry[] = []
  let cursor: string | undefined
  for (let limit = FEW; ; limit = MANY) {
    const { entries, next } = await log.part({}, limit, cursor)
    for (const entry of entries) {
      if (entry.seq <= last) return found.reverse()
      found.push(entry)
    }
    if (next === undefined) return found.reverse()
    cursor = next
  }
}
