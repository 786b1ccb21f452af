/** `http` steps, before one is there: what works is loaded with the first. */
import type { Clock } from '../../clock.ts'
import type { InProcess } from '../frame/in-process.ts'
import type { Egress } from './addresses.ts'

/** @param egress where they may connect to; absent: everywhere */
export const http = (clock: Clock, egress?: Egress): InProcess => ({
  type: 'http',
  reads: 'words',
  async perform(work) {
    const { http: perform } = await import('./http.ts')
    const guard = egress && (await import('./egress.ts')).egressGuard(egress)
    return perform(work, clock, undefined, guard)
  }
})
