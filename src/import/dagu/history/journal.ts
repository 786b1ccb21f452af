/**
 * The journal of an imported run: that it began, how each node ended, how it ended. Dagu keeps no more, and the times are its own, to
 * the second. The states are those of the charts, so whatever reads a journal reads this one.
 */
import type { JournalRecord, NodePlace, NodeRecord, RunRecord } from '../../../../machines/vocabulary.ts'
import { present } from '../../../platform/present.ts'

/** State of the chart of a run in which its nodes run. */
const WORKING = 'working'

// D1506: the journal of an imported run has what Dagu kept
/** Records of one attempt. @param before the last one of the attempt before: numbers and times go on from it */
export function journalOf(
  run: RunRecord,
  nodes: readonly [NodePlace, NodeRecord][],
  before: JournalRecord | undefined
): JournalRecord[] {
  const { name, dagRunId, status, startedAt = run.createdAt, finishedAt = startedAt, trigger } = run
  const key = { name, dagRunId }
  const actor = `run/${name}/${dagRunId}`
  let [seq, latest] = [before?.seq ?? 0, before?.at ?? Number.NEGATIVE_INFINITY]
  const record = (at: number, rest: Omit<JournalRecord, 'run' | 'seq' | 'at'>): JournalRecord => {
    latest = Math.max(latest, at)
    return { run: key, seq: ++seq, at: latest, ...rest }
  }
  const ended = ([, { finishedAt: at }]: [NodePlace, NodeRecord]) => at ?? finishedAt
  const begun = { event: 'run.imported', status: 'running', ...(trigger ? { trigger } : {}) } as const
  return [
    record(startedAt, { actor, from: '', to: WORKING, ...begun }),
    ...[...nodes]
      .sort((a, b) => ended(a) - ended(b))
      .map(([place, node]) =>
        record(ended([place, node]), {
          actor: `${actor}/${typeof place === 'number' ? `node/${node.step}` : `handler/${place}`}`,
          event: 'node.imported',
          from: '',
          to: node.status,
          status: node.status,
          step: node.step,
          context: memoryOf(node)
        })
      ),
    record(finishedAt, { actor, event: 'run.imported', from: WORKING, to: status, status })
  ]
}

const REMEMBERED = ['finishedAt', 'retryCount', 'doneCount', 'exitCode', 'signal', 'error', 'conditions'] as const

/** Context of a node that its chart remembers. */
const memoryOf = (node: NodeRecord): Record<string, unknown> =>
  present({
    attempt: node.startedAt === undefined ? undefined : Math.max(1, node.retryCount + 1),
    at: node.startedAt,
    ...Object.fromEntries(REMEMBERED.map((name) => [name, node[name]]))
  })
