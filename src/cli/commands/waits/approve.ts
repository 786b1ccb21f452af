/** `troupe approve`: approves or refuses what a step asks. Source: embedding 2.5; our addition, see docs/cli.md. */
import type { CommandModule } from '../../input/command.ts'
import { giveSignal } from './give-signal.ts'

export const run: CommandModule['run'] = (args, context) => {
  const approved = !args.on.has('refuse')
  const { note } = args.text
  const payload = { approved, ...(note === undefined ? {} : { note }) }
  return giveSignal(args, context, payload, (step) => `step ${step} is ${approved ? 'approved' : 'refused'}`)
}
