/** `mail` steps, before one is there: what works is loaded with the first. */
import type { Clock } from '../../clock.ts'
import type { InProcess } from '../frame/in-process.ts'

export const mail = (clock: Clock): InProcess => ({
  type: 'mail',
  reads: 'words',
  needs: ['smtp'],
  perform: async (work) => (await import('./mail.ts')).mail(work, clock)
})
