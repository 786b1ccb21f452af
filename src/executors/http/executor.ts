/** `http` steps, before one is there: what works is loaded with the first. */
import type { Clock } from '../../clock.ts'
import type { InProcess } from '../frame/in-process.ts'

export const http = (clock: Clock): InProcess => ({
  type: 'http',
  reads: 'words',
  perform: async (work) => (await import('./http.ts')).http(work, clock)
})
