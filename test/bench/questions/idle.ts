/** What does a server cost that has nothing to do? */
import { setTimeout as pause } from 'node:timers/promises'
import type { Question } from '../question.ts'

/** Until it has given back what its start has left. */
const IDLE_MS = 25_000

export const idle: Question = {
  name: 'idle',
  definitions: () => ({}),
  async ask({ tree }) {
    await pause(IDLE_MS)
    const { pssMiB, rssMiB, processes } = tree.memory()
    return [
      { figure: 'PSS', unit: 'MiB', better: 'less', value: pssMiB },
      { figure: 'RSS', unit: 'MiB', better: 'less', value: rssMiB },
      { figure: 'processes', unit: '', better: 'less', value: processes }
    ]
  }
}
