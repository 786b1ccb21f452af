/** `troupe retry`: a new attempt of a run that has ended, in the foreground. Source: api-semantics 11, 4.7. */
import { TroupeError } from '../../errors.ts'
import { inForeground } from '../foreground/foreground.ts'
import type { CommandModule } from '../input/command.ts'
import { requestedRun } from '../input/requested-run.ts'

// D433: a name means its newest run
// D408: `retry` never waits
export const run: CommandModule['run'] = (args, context) => {
  const { step: stepName } = args.text
  const unlimited = args.on.has('disable-max-active-runs')
  const includeDownstream = args.on.has('downstream')
  if (includeDownstream && !stepName)
    throw new TroupeError('bad_request', 'retry: --downstream wants --step, the step that the retry begins with')
  const body = {
    ...(stepName ? { stepName } : {}),
    ...(includeDownstream ? { includeDownstream } : {}),
    ...(unlimited ? { unlimited } : {})
  }
  return inForeground(args, context, async (client) => {
    const { name, dagRunId } = await requestedRun(args, context, client)
    return hinted(client.acts.retryRun({ path: { name, dagRunId }, body }))
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
