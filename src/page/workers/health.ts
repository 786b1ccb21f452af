/** The health of a worker over time, as far as this page has seen it: the API has the present only. Times are those of `uptime`. */
import type { Worker } from '../answers.ts'
import { roughLengthText } from '../text.ts'

/** The health of a worker, or why it has none that counts. */
export type Standing = 'healthy' | 'warning' | 'unhealthy' | 'incompatible' | 'lost'
export const STANDINGS: readonly Standing[] = ['healthy', 'warning', 'unhealthy', 'incompatible', 'lost']

export interface Span {
  from: number
  until: number
  standing: Standing
}

export const STRIP_MS = 300_000
/** After a longer silence of the server, or in a hidden tab, nothing is known of the time between two answers. */
const GAP_MS = 10_000

export function standingOf({ status, health_status }: Worker): Standing {
  if (status === 'incompatible' || status === 'lost') return status
  const health = health_status.replace('WORKER_HEALTH_STATUS_', '').toLowerCase()
  return STANDINGS.find((it) => it === health) ?? 'unhealthy'
}

// D925: the health of the last five minutes is what this page has seen of it
/** The spans of the last five minutes, after an answer at `at`. */
export function lengthened(spans: readonly Span[], at: number, standing: Standing): Span[] {
  const recent = spans.filter(({ until }) => until > at - STRIP_MS)
  const last = recent.at(-1)
  const next = { from: at, until: at, standing }
  if (!last || at - last.until > GAP_MS) return [...recent, next]
  const known = [...recent.slice(0, -1), { ...last, until: at }]
  return last.standing === standing ? known : [...known, next]
}

/** Words for the spans, such as `4 min 10 s healthy, 5 s warning`. @param at the end of the five minutes */
export function spansText(spans: readonly Span[], at: number): string {
  const parts = STANDINGS.map((standing) => {
    const own = spans.filter((span) => span.standing === standing)
    const ms = own.reduce((sum, { from, until }) => sum + until - Math.max(from, at - STRIP_MS), 0)
    return own.length === 0 ? '' : `${roughLengthText(ms)} ${standing}`
  })
  return parts.filter((part) => part !== '').join(', ')
}
