/** `troupe start`: one run in the foreground. Source: api-semantics 11, 4.2 (CLI start). */
import { TroupeError } from '../../errors.ts'
import type { CliContext } from '../context.ts'
import { inForeground } from '../foreground/foreground.ts'
import type { Arguments, CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { mustLocate } from '../input/locate.ts'
import { paramsOf } from '../input/params-text.ts'
import { placingOf } from '../input/placing.ts'
import { keyOf, requestedRun } from '../input/requested-run.ts'
import type { OpenClient } from '../owner/opened.ts'

// D407: `start` waits in its queue when `maxActiveRuns` above 1 is reached
export const run: CommandModule['run'] = (args, context) => {
  const params = paramsOf('start', args)
  const { 'run-id': dagRunId, name: dagName } = args.text
  const placing = placingOf(args)
  const what = wanted(args, params)
  return inForeground(args, context, async (client) =>
    hinted(
      client.acts.startDag({
        body: {
          ...(await what(client, context)),
          ...(params ? { params } : {}),
          ...(dagRunId ? { dagRunId } : {}),
          ...(dagName ? { dagName } : {}),
          ...placing,
          ...(args.on.has('no-queue') ? { noQueue: true } : { waitWhenFull: true }),
          ...(args.on.has('disable-max-active-runs') ? { unlimited: true } : {})
        }
      }),
      () => context.configure(settingsOf(args)).queues.enabled
    )
  )
}

/** Adds a hint to the error. */
function hinted<T>(start: Promise<T>, hasQueues: () => boolean): Promise<T> {
  return start.catch((cause: unknown) => {
    if (!(cause instanceof TroupeError && cause.code === 'max_run_reached')) throw cause
    const { message, details = {} } = cause
    const hint = hasQueues()
      ? 'troupe enqueue waits for a place, --disable-max-active-runs does without one'
      : '--disable-max-active-runs does without a place'
    throw new TroupeError('max_run_reached', `${message}; ${hint}`, { cause, details })
  })
}

/** The current definition, or that of an earlier run. @throws TroupeError bad_request */
function wanted({ operand, text: { 'from-run-id': earlier } }: Arguments, params: string) {
  if (earlier && params)
    throw new TroupeError(
      'bad_request',
      `start: wanted no parameters beside --from-run-id ${earlier}, which has its own, found ${params}`
    )
  return async (client: OpenClient, context: CliContext) => {
    if (earlier)
      return { fromRun: keyOf(await requestedRun({ operand, text: { 'run-id': earlier } }, context, client)) }
    const places = { cwd: context.cwd, dagsDir: client.dagsDir }
    return { file: client.isElsewhere ? operand : mustLocate(operand, places) }
  }
}
