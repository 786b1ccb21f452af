/** `troupe retry`: a new attempt of a run that has ended, in the foreground. Source: api-semantics 11, 4.7. */
import { TroupeError } from '../../errors.ts'
import { shellWord } from '../../platform/shell/shell-word.ts'
import { inForeground } from '../foreground/foreground.ts'
import type { CommandModule } from '../input/command.ts'
import { dagNameOf } from '../input/dag-name.ts'
import { idOf } from '../input/requested-run.ts'

// D408: `retry` never waits
export const run: CommandModule['run'] = (args, context) => {
  const { 'run-id': passed, step: stepName } = args.text
  if (!passed)
    throw new TroupeError(
      'bad_request',
      `retry: wanted the id of a run, found none; give it with --run-id, or --run-id latest for the newest (troupe status ${shellWord(args.operand)} shows that)`
    )
  return inForeground(args, context, async (client) => {
    const name = await dagNameOf(args.operand, client, { cwd: context.cwd, dagsDir: client.dagsDir })
    const dagRunId = await idOf(name, passed, { context, client })
    const unlimited = args.on.has('disable-max-active-runs')
    return hinted(
      client.acts.retryRun({
        path: { name, dagRunId },
        body: { ...(stepName ? { stepName } : {}), ...(unlimited ? { unlimited } : {}) }
      })
    )
  })
}

/** Adds a hint to the error of a limit, or of a run that has not ended. */
function hinted<T>(retry: Promise<T>): Promise<T> {
  return retry.catch((cause: unknown) => {
    if (!(cause instanceof TroupeError && cause.code === 'already_running' && cause.details?.limit)) throw cause
    const { message, details } = cause
    const text = `${message}; --disable-max-active-runs does without a place`
    throw new TroupeError('already_running', text, { cause, details })
  })
}
