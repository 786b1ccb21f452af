/** Takes offers on, or refuses them. The same offer gets the same answer, however often it comes. Source: distribution 3, 5, D3. */
import { type Offer, type Reply, writtenTask } from '../../bus/tasks.ts'
import { messageOf } from '../../errors.ts'
import type { Contact } from '../contact.ts'
import type { Asking } from './asking.ts'
import type { HeldTask } from './held-task.ts'
import { isJob } from './job-shape.ts'
import type { TaskRecord } from './record.ts'
import { idOf, type Spool } from './spool.ts'
import type { Stops } from './stops.ts'
import type { TaskTable } from './task-table.ts'
import { runOf, type Work } from './work.ts'

export interface OfferParts {
  asking: Asking
  /** Where parts of jobs are asked for. */
  subject: string
  spool: Spool
  work: Work
  table: TaskTable
  stops: Stops
  contact: Pick<Contact, 'isFresh' | 'isRecent'>
  leaving: AbortSignal
}

type Why = Extract<Reply, { kind: 'refused' }>['why']
const TEXTS: Record<Why, string> = {
  run: 'its run is not open on this worker',
  stale: 'it was placed again since, or is over',
  stopped: 'it was stopped before it was offered',
  late: 'it was on its way for too long, or nothing was heard of its engine',
  full: 'every slot of this worker is taken',
  disk: 'the disk of this worker cannot be written, or is too full for a further run',
  message: 'its job cannot be read'
}
const refused = (why: Why, more?: string): Reply => ({
  kind: 'refused',
  why,
  text: [TEXTS[why], ...(more === undefined ? [] : [more])].join(': ').slice(0, 1_000)
})

export function openOffers({ asking, subject, spool, work, table, stops, contact, leaving }: OfferParts) {
  /** Offers that are being answered. */
  const pending = new Map<string, Promise<Reply | undefined>>()
  /** The latest start of each engine. */
  const epochs = new Map<string, number>()
  const note = ({ engine, epoch }: Pick<Offer, 'engine' | 'epoch'>) =>
    epochs.set(engine, Math.max(epoch, epochs.get(engine) ?? 0))
  for (const record of spool.found.values()) note(record)

  function whyNot(offer: Offer, job?: string): Why | undefined {
    if (offer.epoch < (epochs.get(offer.engine) ?? 0) || table.isStale(offer)) return 'stale'
    if (stops.has(offer)) return 'stopped'
    if (offer.what === 'step' && !(contact.isFresh() && contact.isRecent(offer.beat))) return 'late'
    return work.refusal(runOf(offer), offer.what, job)
  }
  async function taken(offer: Offer): Promise<Reply | undefined> {
    const why = whyNot(offer)
    if (why) return refused(why)
    if (offer.jobBytes > MOST_JOB_BYTES) return refused('message', `wanted at most ${MOST_JOB_BYTES} bytes`)
    const job = offer.job ?? (await fetchedJob(asking, subject, offer, leaving))
    if (job === undefined) return undefined
    if (!isJob(offer.what, job)) return refused('message')
    const later = whyNot(offer, job)
    if (later) return refused(later)
    const { task, lease, engine, epoch, what, run, name, mayResume, stopped, unfenced } = offer
    const kept = { task, lease, engine, epoch, what, run, name }
    const asked = {
      ...(unfenced ? { unfenced } : {}),
      ...(mayResume ? { mayResume } : {}),
      ...(stopped === undefined ? {} : { stopped })
    }
    const record: TaskRecord = { ...kept, ...asked, job }
    try {
      await spool.add(idOf(offer), { kind: 'claimed', ...record })
    } catch (error) {
      return refused('disk', messageOf(error))
    }
    // The task was stopped while its claim was written: that comes after the claim in its record.
    if (stops.took(offer)) record.asked = { signal: 'SIGTERM' }
    return claimed(table.enter(record))
  }
  const claimed = ({ state }: HeldTask): Reply => ({ kind: 'claimed', state })

  return {
    /** @returns undefined: it cannot be answered now; an engine that still wants it offers it again */
    take(offer: Offer): Promise<Reply | undefined> {
      note(offer)
      const known = table.get(offer)
      if (known) {
        again(offer, known)
        return Promise.resolve(claimed(known))
      }
      const id = idOf(offer)
      const answer = pending.get(id) ?? taken(offer)
      pending.set(id, answer)
      const over = () => pending.delete(id)
      answer.then(over, over)
      return answer
    }
  }

  /** An engine that was restarted does not know how far the task is. */
  function again({ resumed, mayResume, stopped }: Offer, task: HeldTask): void {
    if (mayResume) task.record.mayResume = true
    // The stop may have been lost with that engine. Who is told of it when the disk is full asks again.
    if (stopped !== undefined && !task.record.asked) task.ask({ signal: stopped }).catch(() => {})
    if (task.state === 'ended') table.repeat(task)
    else if (resumed && task.record.began) {
      task.told = { what: 'found', at: task.record.began.at }
      table.repeat(task)
    }
  }
}

/** Limit of a job; it is read into memory. */
const MOST_JOB_BYTES = 64 * 1024 * 1024
/** Questions for one part, until the offer is answered no more: who still wants the task offers it again. */
const TRIES = 6

/** Fetches a job that did not fit into its offer. Undefined: the engine does not answer, or knows nothing of it. */
async function fetchedJob(
  asking: Asking,
  subject: string,
  { task, lease, engine, jobBytes }: Offer,
  until: AbortSignal
): Promise<string | undefined> {
  const parts: Buffer[] = []
  for (let from = 0; from < jobBytes; ) {
    const question = async () => writtenTask({ kind: 'job', task, lease, engine, from })
    const word = await asking.insist(subject, question, until, TRIES)
    if (word?.kind !== 'part' || word.size !== jobBytes || word.data.length === 0) return undefined
    parts.push(word.data)
    from += word.data.length
  }
  const whole = Buffer.concat(parts)
  return whole.length === jobBytes ? whole.toString('utf8') : undefined
}
