/** `troupe signal`: gives a step the signal that it waits for. Source: embedding 2.5; our addition, see docs/cli.md. */
import { exactJson } from '../../../definition/text/exact-json.ts'
import { TroupeError } from '../../../errors.ts'
import type { CommandModule } from '../../input/command.ts'
import { giveSignal } from './give-signal.ts'

export const run: CommandModule['run'] = (args, context) =>
  giveSignal(args, context, payloadIn(args.operands[2]), (step) => `step ${step} has got its signal`)

/** @throws TroupeError bad_request */
function payloadIn(text = ''): unknown {
  if (text === '') return null
  try {
    return exactJson(text)
  } catch {
    const shown = JSON.stringify(text.slice(0, 60))
    throw new TroupeError(
      'bad_request',
      `signal: wanted the payload as JSON, found ${shown}; a text needs quotes of its own: '"text"'`
    )
  }
}
