/** The messages between a run's actors, read off its journal: who sent what to whom, and the state it led to. Source: architecture 9; docs/inspect.md. */
import type { JournalRecord, RunKey, ScheduleDecision } from '../../machines/vocabulary.ts'
import type { Sequence, SequenceMessage } from './facts.ts'
import { sequenceDiagram } from './mermaid.ts'
import { isRunAddress } from './replay.ts'

export interface Told {
  run: RunKey
  /** From the first on: a cause is older than its effect. */
  records: JournalRecord[]
  /** Records that there are in all. */
  count: number
  /** The scheduled minute that began it; absent: somebody asked for it. */
  decision?: ScheduleDecision
}

export function sequenceOf({ run, records, count, decision }: Told): Sequence {
  const actors = new Map(records.map(({ seq, actor }) => [seq, actor]))
  const messages = records.map(
    (record): SequenceMessage => ({
      seq: record.seq,
      at: record.at,
      from: senderOf(record, actors, decision !== undefined),
      to: record.actor,
      event: record.event === 'xstate.init' ? 'begin' : record.event.replace(/^xstate\.(done|error)\.actor\..*$/, '$1'),
      state: record.to
    })
  )
  const participants = [...new Set(messages.flatMap(({ from, to }) => [from, to]))]
  const omitted = count - messages.length
  return {
    run,
    participants,
    messages,
    omitted,
    mermaid: sequenceDiagram(participants, messages, omitted)
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
