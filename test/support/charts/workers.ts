/** Workers of the chart's tests, and what they say. */
import type { WorkerSelf } from '../../../machines/vocabulary.ts'
import type { BeatHeard, HelloHeard } from '../../../machines/worker.ts'
import { START } from './stage.ts'

export const self = (given: Partial<WorkerSelf> = {}): WorkerSelf => ({
  id: 'wa',
  labels: { zone: 'a' },
  slots: 4,
  version: '1.0.0',
  host: 'box',
  pid: 7,
  executors: ['shell'],
  ...given
})

export const hello = (given: Partial<HelloHeard> = {}): HelloHeard => ({
  type: 'hello.heard',
  at: START,
  id: 'wa',
  speaks: { min: 1, max: 1 },
  session: 's1',
  self: self(),
  isLeaving: false,
  fences: true,
  ...given
})

export const beat = (given: Partial<BeatHeard> = {}): BeatHeard => ({
  type: 'beat.heard',
  at: START,
  session: 's1',
  beat: 1,
  load: { cpu: 5 },
  isLeaving: false,
  isLate: false,
  ...given
})
