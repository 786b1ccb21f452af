/**
 * The journal of a run agrees with its stored state: each transition begins where the previous one ended, and the last one ended
 * in the stored states of the run and its nodes. Source: reliability P3, P5.
 */
import type { JournalRecord } from '../../machines/vocabulary.ts'
import { pathOf } from '../actors/journal/recorded.ts'
import { isUnreadable, readEntry } from '../store/damage/damaged.ts'
import { nodesOf } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import type { StoredNode, StoredRun } from '../store/stored.ts'
import type { Finding } from './finding.ts'

type Last = Map<string, JournalRecord>
/** Set by hand: the record has statuses instead of states. */
const BY_HAND = 'node.set'
/** Resolved by a rule, without an actor. */
const BY_RULE = 'node.settled'

export function* brokenJournal(store: Store, stored: StoredRun): Generator<Finding> {
  const { name, dagRunId, status } = stored.record
  const found: string[] = []
  const last = lastOf(store, stored, found)
  // A waiting run may have waited before, and a run that the engine failed has no transition of its own.
  const isParked = status === 'failed' && stored.record.error !== undefined && !stored.open
  if (status !== 'queued' && status !== 'not_started' && !isParked)
    for (const finding of unlike(store, stored, last)) found.push(finding)
  for (const message of found)
    yield {
      check: 'journal',
      severity: 'warning',
      message: `run ${dagRunId} of ${name}: ${message}`,
      mending: 'nothing has to be done for the run itself; restore a backup if its history matters'
    }
}

/** The latest transition of each actor in the latest attempt of the run. @param found receives problems on the way */
function lastOf(store: Store, { record: { name, dagRunId } }: StoredRun, found: string[]): Last {
  const address = `run/${name}/${dagRunId}`
  const last: Last = new Map()
  for (const key of store.journal.getKeys({ start: [name, dagRunId, 0], end: [name, dagRunId, Number.MAX_VALUE] })) {
    const record = readEntry(store.journal, key)
    if (!record) continue // reported as unreadable
    const { actor, from, seq, event } = record
    if (seq !== key[2] || record.run?.name !== name || record.run.dagRunId !== dagRunId)
      found.push(`journal record ${key[2]} is that of another transition`)
    if (!actor.startsWith(address)) continue // a queue serves many runs
    if (actor === address && from === '') last.clear() // a new attempt
    const before = last.get(actor)
    const isUnlike = from !== '' && event !== BY_HAND && before && before.event !== BY_HAND && before.to !== from
    if (isUnlike && !isCalledAgain(record))
      found.push(`journal record ${seq} of ${actor} begins in ${from}, the one before it ended in ${before.to}`)
    last.set(actor, record)
  }
  return last
}

/** After a restart a call begins again with what was resolved, whatever its state; that first event is all it remembers. */
const isCalledAgain = ({ actor, from, whole }: JournalRecord): boolean =>
  whole === true && from === 'resolving' && actor.endsWith('/attempt')

/** Differences in the stored states. */
function* unlike(store: Store, { record, open }: StoredRun, last: Last): Generator<string> {
  const address = `run/${record.name}/${record.dagRunId}`
  const run = last.get(address)
  if (!run) {
    yield 'the journal does not record it'
    return
  }
  if (run.status !== record.status)
    yield `it is ${record.status}, the last transition in its journal left it ${run.status}`
  if (open && pathOf(open.value) !== run.to)
    yield `it would continue from ${pathOf(open.value)}, but the last transition in its journal ended in ${run.to}`
  for (const [place, node] of nodesOf(store, record)) {
    if (isUnreadable(node.record)) continue // reported as unreadable
    const actor = typeof place === 'number' ? `node/${node.record.step}` : `handler/${place}`
    const transition = last.get(`${address}/${actor}`)
    if (transition) yield* unlikeNode(node, transition)
  }
}

function* unlikeNode({ record: { step, status }, open }: StoredNode, last: JournalRecord): Generator<string> {
  if (last.status !== status)
    yield `step ${step} is ${status}, the last transition in the journal left it ${last.status}`
  if (open && last.event !== BY_RULE && last.event !== BY_HAND && pathOf(open.value) !== last.to)
    yield `step ${step} would continue from ${pathOf(open.value)}, but the last transition in the journal ended in ${last.to}`
}
