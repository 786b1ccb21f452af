/** `archive` steps, before one is there: what works is loaded with the first. */
import type { Clock } from '../../clock.ts'
import type { InProcess } from '../frame/in-process.ts'
import { removePartial } from './partial-note.ts'

export const archive = (clock: Clock): InProcess => ({
  type: 'archive',
  reads: 'words',
  interrupted: removePartial,
  perform: async (work) => (await import('./archive.ts')).archive(work, clock)
})
