/**
 * What the recorders of all machines share: the order of transitions and their causes, the records that the journal gets, and who
 * is told of them. Source: architecture 1.
 */
import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot } from 'xstate'
import type { ChurnMap } from '../../../machines/tables/churn-map.ts'
import type { JournalRecord, NodeRecord, RunKey, RunStatus } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import type { Meters } from '../../platform/meters.ts'
import type { Notices } from '../notify/notices.ts'
import type { OpenRun } from '../root/open-run.ts'
import type { RunLogs } from '../run/run-log.ts'
import { pathOf, type Recorder, type Trail, type Transition } from './recorded.ts'
import type { Transactions } from './transactions.ts'

export interface Watch {
  clock: Clock
  transactions: Transactions
  logs: RunLogs
  /** Open runs by `runId`. */
  runs: ChurnMap<OpenRun>
  meters: Meters
  /** Stores the events that a transition causes. Absent: nobody wants any. */
  notices?: Notices | undefined
  /** Told of each record when it is committed. */
  publish(record: JournalRecord): void
  /** Told of each step of a traced run that has ended after it was executed, when that is committed. */
  stepped(run: OpenRun, node: NodeRecord): void
  /** Told of each run that has ended, when that is committed. */
  ended(run: OpenRun, status: RunStatus): void
  /** The end of a run is told again when readers see it; of a root run when it has reached the disk. */
  over(run: OpenRun): void
}

/** The actor whose transition it is. */
export interface Who {
  run: OpenRun
  address: string
  /** The journal has its memory up to its latest transition. */
  isKnown?: true
}

/** What is noted of the actors of one machine. */
export interface Notes {
  /** Undefined: a transition that is not noted. */
  whose(actor: AnyActorRef, event: AnyEventObject): Who | undefined
  /** What the record says of the actor's memory. */
  memory(
    who: Who,
    from: AnyMachineSnapshot | undefined,
    to: AnyMachineSnapshot
  ): Pick<JournalRecord, 'context' | 'whole'>
  /** Completes the record and gives it to the journal; saves what is to be stored of the actor. */
  noted(
    who: Who,
    record: JournalRecord,
    transition: Transition,
    from: AnyMachineSnapshot | undefined,
    to: AnyMachineSnapshot
  ): void
  stored?: Recorder['stored']
}

export interface Journal {
  /** The recorder of one machine. */
  recorder(notes: Notes): Recorder
  /** @param order of the transition; absent: it is the latest */
  note(record: JournalRecord, order?: number): void
  /** The next record of a run, without what is known only later. */
  next(run: Pick<OpenRun, 'seq'> & { record: RunKey }, actor: string, event: string): JournalRecord
}

export function openJournal({ clock, transactions, publish }: Watch): Journal {
  const trail: Trail = { cause: undefined }
  let begun = 0
  /** Records of the turns at hand: told when they are committed, in the order in which they began. */
  type Unpublished = { order: number; record: JournalRecord }[]
  let unpublished: Unpublished | undefined

  function tell(order: number, record: JournalRecord): void {
    if (!unpublished) {
      const together: Unpublished = []
      unpublished = together
      transactions.save('unpublished', () => {
        unpublished = undefined // what comes now belongs to the next commit
      })
      // When the store shows it too: nobody who hears of a state reads an older one.
      transactions.whenShown(() => {
        together.sort((a, b) => a.order - b.order) // a transition is noted when it is over
        for (const { record } of together) publish(record)
      })
    }
    unpublished.push({ order, record })
  }

  function causeOf({ run, address }: Who, { type, actorId }: AnyEventObject): number | undefined {
    if (!type.startsWith('xstate.done.actor.') && !type.startsWith('xstate.error.actor.')) return trail.cause?.seq
    const child = `${address}/${actorId}`
    const seq = run.ended.get(child)
    run.ended.delete(child)
    return seq
  }

  function recordOf(
    { record: { name, dagRunId } }: { record: RunKey },
    seq: number,
    actor: string,
    event: string
  ): JournalRecord {
    return { run: { name, dagRunId }, seq, at: clock.now(), actor, event, from: '', to: '' }
  }

  return {
    recorder: (notes) => ({
      trail,
      ...(notes.stored ? { stored: notes.stored } : {}),
      begin(actor, event): Transition | undefined {
        const who = notes.whose(actor, event)
        return who && { seq: ++who.run.seq, order: ++begun, event: event.type, cause: causeOf(who, event), who }
      },
      noted(transition, _actor, from, to) {
        const { seq, event, cause } = transition
        const who = transition.who as Who // from `begin`
        const { run, address } = who
        // Members are set one by one: gathered from other objects they cost as much as all the rest of this.
        const record = recordOf(run, seq, address, event)
        if (from) record.from = pathOf(from.value)
        record.to = pathOf(to.value)
        if (cause !== undefined) record.cause = cause
        const { context, whole } = notes.memory(who, from, to)
        if (context) record.context = context
        if (whole) record.whole = whole
        who.isKnown = true
        if (to.status !== 'active') run.ended.set(address, seq)
        notes.noted(who, record, transition, from, to)
      }
    }),
    note(record, order = ++begun) {
      transactions.changes.journal.push(record)
      tell(order, record)
    },
    next: (run, actor, event) => recordOf(run, ++run.seq, actor, event)
  }
}

/** The identity of an actor does not change: it is found out once. */
export function foundOnce(find: (actor: AnyActorRef) => Who | undefined): Notes['whose'] {
  const known = new WeakMap<AnyActorRef, Who>()
  return (actor) => {
    const before = known.get(actor)
    if (before) return before
    const who = find(actor)
    if (who) known.set(actor, who)
    return who
  }
}
