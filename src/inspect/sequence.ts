/** The messages between a run's actors, from its journal: sender, receiver, event, state. Source: architecture 9; docs/inspect.md. */
import type { GivenUp, JournalRecord, RunKey, ScheduleDecision } from '../../machines/vocabulary.ts'
import type { Sequence, SequenceMessage } from './inspection.ts'
import { sequenceDiagram } from './mermaid.ts'
import { isRunAddress } from './replay.ts'

export interface SequenceSource {
  run: RunKey
  records: JournalRecord[]
  /** The actor of a record that is not among them. */
  actorOf(seq: number): string | undefined
  /** Number of later records. */
  omitted: number
  /** The scheduled minute that started it; absent: it was started on request. */
  decision?: ScheduleDecision
  /** Id of the worker that it is on, or was on at last; absent: it belongs to the engine's machine. */
  worker?: string
  /** Records that follow those of a run on a worker. */
  later?: JournalRecord[]
}

export function sequenceOf({ run, records, actorOf, omitted, decision, worker, later = [] }: SequenceSource): Sequence {
  const workers = workersAt([...records, ...later], worker)
  const actors = new Map(records.map(({ seq, actor }) => [seq, actor]))
  const named = (seq: number) => actors.get(seq) ?? actorOf(seq)
  const messages = records.map(
    (record): SequenceMessage => ({
      seq: record.seq,
      at: record.at,
      from: senderOf(record, named, decision !== undefined, workers.get(record.seq)),
      to: record.actor,
      event: eventOf(record),
      state: record.to
    })
  )
  const participants = [...new Set(messages.flatMap(({ from, to }) => [from, to]))]
  return {
    run,
    participants,
    messages,
    omitted,
    mermaid: sequenceDiagram(participants, messages, omitted)
  }
}

/** A run begins on the worker that it is placed on. */
function eventOf(record: JournalRecord): string {
  const { event } = record
  if (event !== 'xstate.init') return event.replace(/^xstate\.(done|error)\.actor\..*$/, '$1')
  const worker = placedIn(record)
  return worker === undefined ? 'begin' : `begin on ${worker}`
}
/** The worker that a run was placed on with this event. */
function placedIn({ actor, context }: JournalRecord): string | undefined {
  const { placement }: { placement?: { id?: string } | null } = isRunAddress(actor) ? Object(context) : {}
  return placement?.id
}

/** Senders outside the run, by prefix of the event. */
const OUTSIDE: readonly [RegExp, string][] = [
  [/^alarm\./, 'clock'],
  [/^attempt\./, 'process'],
  [/^run\.(?:stop|kill)$/, 'caller'],
  [/^node\.set$/, 'caller'],
  [/^(?:start|enqueue)\.requested$/, 'caller']
]

/** Events by a worker, or about it. */
const OF_WORKER = /^(?:attempt|worker)\.|^(?:run|node)\.(?:un)?prepared$|^condition(?:s)?\.checked$/

/**
 * At which event a run was on which worker. Its own events say it; before the first of these, and in journals of earlier releases, it
 * has left the one that was lost when it has another.
 */
function workersAt(records: readonly JournalRecord[], last: string | undefined): Map<number, string> {
  const found = new Map<number, string>()
  if (last === undefined) return found
  let worker = last
  for (let index = records.length - 1; index >= 0; index--) {
    const { seq, actor, event } = records[index] as JournalRecord
    found.set(seq, worker)
    if (event === 'worker.replaced' && isRunAddress(actor)) worker = lostBefore(records, index) ?? worker
  }
  let named: string | undefined
  for (const record of records) {
    named = placedIn(record) ?? named
    if (named !== undefined) found.set(record.seq, named)
  }
  return found
}
function lostBefore(records: readonly JournalRecord[], index: number): string | undefined {
  for (let at = index - 1; at >= 0; at--) {
    const { loss }: { loss?: { worker?: string } } = Object(records[at]?.context)
    if (loss?.worker !== undefined) return loss.worker
  }
  return undefined
}
/** The worker whose execution had been given up. */
function lateWorker({ context }: JournalRecord): string | undefined {
  const { givenUp = [] }: { givenUp?: GivenUp[] } = Object(context)
  return [...givenUp].sort((one, other) => (one.late?.heardAt ?? 0) - (other.late?.heardAt ?? 0)).at(-1)?.worker
}

function senderOf(
  record: JournalRecord,
  actorOf: SequenceSource['actorOf'],
  isScheduled: boolean,
  worker: string | undefined
): string {
  const { cause, event, actor } = record
  const sender = cause === undefined ? undefined : actorOf(cause)
  if (event === 'sub.ended') {
    const { dagRunId }: { dagRunId?: string } = Object(record.context?.last)
    if (dagRunId !== undefined) return `sub/${dagRunId}`
  }
  // Processes, timers and disk space are not actors of the journal; their events are caused by what started them.
  if (sender !== undefined && (sender !== actor || event === 'node.settled')) return sender
  const named = event === 'attempt.late' ? lateWorker(record) : worker
  if (named !== undefined && OF_WORKER.test(event)) return `worker/${named}`
  const outside = OUTSIDE.find(([pattern]) => pattern.test(event))?.[1] ?? 'engine'
  const isBegin = outside === 'caller' && event.endsWith('.requested')
  return isScheduled && (isBegin || (isRunAddress(actor) && event === 'run.stop')) ? 'scheduler' : outside
}
