/** The messages between a run's actors, read off its journal: who sent what to whom, and the state it led to. Source: architecture 9; docs/inspect.md. */
import type { JournalRecord, RunKey, ScheduleDecision } from '../../machines/vocabulary.ts'
import type { Sequence, SequenceMessage } from './facts.ts'
import { sequenceDiagram } from './mermaid.ts'
import { isRunAddress } from './replay.ts'

export interface Told {
  run: RunKey
  records: JournalRecord[]
  /** The scheduled minute that began it; absent: somebody asked for it. */
  decision?: ScheduleDecision
}

/** @param limit messages at most; the first ones are kept */
export function sequenceOf({ run, records, decision }: Told, limit: number): Sequence {
  const actors = new Map(records.map(({ seq, actor }) => [seq, actor]))
  const all = records.map(
    (record): SequenceMessage => ({
      seq: record.seq,
      at: record.at,
      from: senderOf(record, actors, decision !== undefined),
      to: record.actor,
      event: record.event === 'xstate.init' ? 'begin' : record.event.replace(/^xstate\.(done|error)\.actor\..*$/, '$1'),
      state: record.to
    })
  )
  const messages = all.slice(0, limit)
  const participants = [...new Set(messages.flatMap(({ from, to }) => [from, to]))]
  return {
    run,
    participants,
    messages,
    omitted: all.length - messages.length,
    mermaid: sequenceDiagram(participants, messages, all.length - messages.length)
  }
}

/** Events that no actor of a run sends: who does, by how they begin. */
const OUTSIDE: readonly [RegExp, string][] = [
  [/^alarm\./, 'clock'],
  [/^attempt\./, 'process'],
  [/^run\.(?:stop|kill)$/, 'caller'],
  [/^node\.set$/, 'caller'],
  [/^(?:start|enqueue)\.requested$/, 'caller']
]

function senderOf(record: JournalRecord, actors: ReadonlyMap<number, string>, isScheduled: boolean): string {
  const { cause, event, actor } = record
  const sender = cause === undefined ? undefined : actors.get(cause)
  if (event === 'sub.ended') {
    const { dagRunId } = (record.context?.last ?? {}) as { dagRunId?: string }
    if (dagRunId !== undefined) return `sub/${dagRunId}`
  }
  // Processes, clocks and rooms are no actors of the journal; what they report is caused by what they were begun with.
  if (sender !== undefined && (sender !== actor || event === 'node.settled')) return sender
  const outside = OUTSIDE.find(([pattern]) => pattern.test(event))?.[1] ?? 'engine'
  const isBegin = outside === 'caller' && event.endsWith('.requested')
  return isScheduled && (isBegin || (isRunAddress(actor) && event === 'run.stop')) ? 'scheduler' : outside
}
