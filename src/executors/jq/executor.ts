/** `jq` steps, before one is there: what works is loaded with the first. */
import type { Clock } from '../../clock.ts'
import type { InProcess } from '../frame/in-process.ts'
import { endIdleThreads } from '../frame/worker-thread.ts'

export const jq = (clock: Clock): InProcess => ({
  type: 'jq',
  reads: 'text',
  perform: async (work) => (await import('./jq.ts')).jq(work, clock),
  close: endIdleThreads
})
