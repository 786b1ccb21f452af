/** When a run that is asked for may start, and before which others. Source: docs/http-api.md "Later, and before others". */
import { isLater, MOST_PRIORITY } from '../../../machines/policy/admission.ts'
import { wakeAt } from '../../../machines/policy/waits.ts'
import type { Plan, RunRecord } from '../../../machines/vocabulary.ts'
import type { Config } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import type { StartRequest } from '../engine.ts'

/** Weeks, days, hours, minutes, seconds. */
const SPAN = /^\+(?!$)(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/i
const UNITS_MS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1_000]
const LATEST_DAYS = 366
const WANTED = 'wanted an instant with its offset such as 2026-11-01T02:00:00+01:00, or + and a duration such as +10m'

/** @throws TroupeError bad_request */
export function placeFor(
  { priority, ...request }: StartRequest,
  { queues }: Pick<Config, 'queues'>,
  plan: Pick<Plan, 'priority'>,
  now: number
): Pick<RunRecord, 'priority' | 'notBefore'> {
  if (priority !== undefined && !(Number.isInteger(priority) && Math.abs(priority) <= MOST_PRIORITY))
    throw new TroupeError(
      'bad_request',
      `priority: wanted an integer from -${MOST_PRIORITY} to ${MOST_PRIORITY}, found ${priority}`
    )
  const { priority: own = 0 } = plan
  const wanted = priority ?? own
  const notBefore = request.at === undefined ? undefined : notBeforeOf(request.at, request, queues.enabled, now)
  return {
    ...(wanted === 0 ? {} : { priority: wanted }),
    ...(notBefore === undefined ? {} : { notBefore })
  }
}

/** Undefined: it is not to come. */
function notBeforeOf(at: string, { singleton, noQueue, unlimited }: StartRequest, queues: boolean, now: number) {
  const refused = (why: string) => new TroupeError('bad_request', `at: ${why}`)
  const parts = SPAN.exec(at)
  const span = parts && UNITS_MS.reduce((sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * unit, 0)
  const instant = span === null ? (at.startsWith('+') ? wakeAt(at.slice(1), now) : instantIn(at, now)) : now + span
  if (instant === undefined) throw refused(`${WANTED}, found ${JSON.stringify(at.slice(0, 100))}`)
  if (instant > now + LATEST_DAYS * 86_400_000)
    throw refused(`wanted at most ${LATEST_DAYS} days from now, found ${at}`)
  if (singleton) throw refused('wanted without singleton, which asks what is running now')
  if (noQueue || unlimited) throw refused('the run would wait in its queue, and was asked for without one')
  if (!queues) throw refused('the run would wait in a queue, and queues are disabled in configuration')
  return isLater({ notBefore: instant }, now) ? instant : undefined
}

/** An instant is no duration. */
const instantIn = (text: string, now: number): number | undefined => (/^\d/.test(text) ? wakeAt(text, now) : undefined)
