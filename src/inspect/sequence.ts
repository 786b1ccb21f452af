/** The messages between a run's actors, from its journal: sender, receiver, event and resulting state. Source: architecture 9; docs/inspect.md. */
import type { JournalRecord, RunKey, ScheduleDecision } from '../../machines/vocabulary.ts'
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
}

export function sequenceOf({ run, records, actorOf, omitted, decision }: SequenceSource): Sequence {
  const actors = new Map(records.map(({ seq, actor }) => [seq, actor]))
  const named = (seq: number) => actors.get(seq) ?? actorOf(seq)
  const messages = records.map(
    (record): SequenceMessage => ({
      seq: record.seq,
      at: record.at,
      from: senderOf(record, named, decision !== undefined),
      to: record.actor,
      event: record.event === 'xstate.init' ? 'begin' : record.event.replace(/^xstate\.(done|error)\.actor\..*$/, '$1'),
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

/** Senders outside the run, by prefix of the event. */
const OUTSIDE: readonly [RegExp, string][] = [
  [/^alarm\./, 'clock'],
  [/^attempt\./, 'process'],
  [/^run\.(?:stop|kill)$/, 'caller'],
  [/^node\.set$/, 'caller'],
  [/^(?:start|enqueue)\.requested$/, 'caller']
]

function senderOf(record: JournalRecord, actorOf: SequenceSource['actorOf'], isScheduled: boolean): string {
  const { cause, event, actor } = record
  const sender = cause === undefined ? undefined : actorOf(cause)
  if (event === 'sub.ended') {
    const { dagRunId }: { dagRunId?: string } = Object(record.context?.last)
    if (dagRunId !== undefined) return `sub/${dagRunId}`
  }
  // Processes, timers and disk space are not actors of the journal; their events are caused by what started them.
  if (sender !== undefined && (sender !== actor || event === 'node.settled')) return sender
  const outside = OUTSIDE.find(([pattern]) => pattern.test(event))?.[1] ?? 'engine'
  const isBegin = outside === 'caller' && event.endsWith('.requested')
  return isScheduled && (isBegin || (isRunAddress(actor) && event === 'run.stop')) ? 'scheduler' : outside
}
