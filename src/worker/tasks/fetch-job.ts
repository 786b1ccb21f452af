/** Fetches a job that did not fit into its offer. Source: distribution 3. */
import { type Offer, writtenTask } from '../../bus/tasks.ts'
import type { Asking } from './asking.ts'

/** Of a job; it is read into memory. */
export const MOST_JOB_BYTES = 64 * 1024 * 1024
/** Questions for one part, until the offer is answered no more: who still wants the task offers it again. */
const TRIES = 6

/** Undefined: the engine does not answer, or knows nothing of it. */
export async function fetchedJob(
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
