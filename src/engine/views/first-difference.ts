/**
 * The first event in which two runs differ. Steps that run at the same time mix their events in any order, so each actor is compared
 * with the same actor of the other run. Source: http-api "Runs" (diff).
 */
import type { JournalRecord, RunKey } from '../../../machines/vocabulary.ts'
import type { Engine } from '../engine.ts'

export type ComparedEvent = Pick<JournalRecord, 'seq' | 'at' | 'actor' | 'event' | 'from' | 'to'>

/** One side is absent: the actor has no further event there. */
export interface EventPair {
  before?: ComparedEvent
  after?: ComparedEvent
}

/** Events of each run; what comes later is not compared. */
const MOST_EVENTS = 20_000
const AT_ONCE = 500

type Journals = Pick<Engine, 'journal'>

/** @param giveWay awaited between parts of a journal */
// D1162: two runs are compared actor by actor
export async function firstDifference(
  engine: Journals,
  before: RunKey,
  after: RunKey,
  giveWay: () => Promise<void> | undefined
): Promise<EventPair | undefined> {
  const waiting = new Map<string, ComparedEvent[]>()
  for await (const record of eventsOf(engine, before, giveWay)) {
    const actor = actorOf(record, before)
    const own = waiting.get(actor)
    if (own) own.push(record)
    else waiting.set(actor, [record])
  }
  const places = new Map<string, number>()
  for await (const record of eventsOf(engine, after, giveWay)) {
    const actor = actorOf(record, after)
    const place = places.get(actor) ?? 0
    const other = waiting.get(actor)?.[place]
    if (!other || !isSame(other, record)) return { ...(other ? { before: other } : {}), after: record }
    places.set(actor, place + 1)
  }
  const left = Array.from(waiting, ([actor, records]) => records[places.get(actor) ?? 0]).filter(
    (record) => record !== undefined
  )
  const first = left.toSorted((a, b) => a.seq - b.seq)[0]
  return first && { before: first }
}

async function* eventsOf(
  engine: Journals,
  key: RunKey,
  giveWay: () => Promise<void> | undefined
): AsyncGenerator<ComparedEvent> {
  let after = 0
  for (let seen = 0; seen < MOST_EVENTS; seen += AT_ONCE) {
    const part = engine.journal(key, after, AT_ONCE)
    for (const { seq, at, actor, event, from, to } of part) yield { seq, at, actor, event, from, to }
    after = part.at(-1)?.seq ?? after
    if (part.length < AT_ONCE) return
    await giveWay()
  }
}

const isSame = (a: ComparedEvent, b: ComparedEvent) => a.event === b.event && a.to === b.to

/** The address of an actor without that of the run; a queue is the queue of the run, whatever its name. */
const actorOf = ({ actor }: ComparedEvent, { name, dagRunId }: RunKey): string => {
  const own = `run/${name}/${dagRunId}`
  if (actor.startsWith(own)) return actor.slice(own.length)
  return actor.startsWith('queue/') ? 'queue' : actor
}
