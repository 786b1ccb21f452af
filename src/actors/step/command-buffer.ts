/** Commands to an attempt that may not have begun: they wait for it, in their order. */
import type { AttemptCommand } from '../../../machines/node.ts'

type Hearing = (command: AttemptCommand) => void

export function commandBuffer() {
  const early: AttemptCommand[] = []
  let pass: Hearing = (command) => void early.push(command)
  return {
    hear: (command: AttemptCommand) => pass(command),
    begun(attempt: { hear: Hearing }) {
      pass = (command) => attempt.hear(command)
      for (const command of early) attempt.hear(command)
    }
  }
}
