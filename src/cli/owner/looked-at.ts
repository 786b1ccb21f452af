/** What commands that inspect a run share: the requested run, and a client to read it with. Source: docs/inspect.md. */
import type { RunDetails } from '../../client/index.ts'
import { TroupeError } from '../../errors.ts'
import type { CliContext } from '../context.ts'
import type { Arguments } from '../input/command.ts'
import { requestedRun } from '../input/requested-run.ts'
import { type Asking, show } from './answer.ts'

export interface LookedAt extends Asking {
  /** The run that is asked for. @throws TroupeError not_found */
  run(): Promise<RunDetails>
}

/** Shows what `look` finds of the requested run. Resolves with the exit code. */
export const lookAt = (
  args: Arguments,
  context: CliContext,
  look: (at: LookedAt) => Promise<unknown>
): Promise<number> =>
  show(args, context, (asking) => look({ ...asking, run: () => requestedRun(args, context, asking.client) }))

/** A flag whose value is an event number. @throws TroupeError bad_request */
export function eventNumber(args: Arguments, flag: string): number | undefined {
  const text = args.text[flag]
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new TroupeError('bad_request', `--${flag}: wanted the number of an event, found ${JSON.stringify(text)}`)
}
