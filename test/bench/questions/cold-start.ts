/** How long does it take from the start of the server program to the first healthy answer? */
import type { Question } from '../question.ts'

export const coldStart: Question = {
  name: 'cold-start',
  definitions: () => ({}),
  cpuSince: 'spawn',
  ask: async ({ startedInMs }) => [{ figure: 'spawn to /health', unit: 'ms', better: 'less', value: startedInMs }]
}
