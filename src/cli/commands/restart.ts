/**
 * `troupe restart`: stops a running run, waits `restartWaitSec`, and runs the same definition with the same params under a new
 * id, in the foreground, regardless of limits and queues; a server elsewhere has limits for everybody. Source: api-semantics 11,
 * execution-semantics 11.11.
 */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Client } from '../../client/index.ts'
import { pause } from '../../clock.ts'
import type { Settings } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import type { CliContext } from '../context.ts'
import { inForeground } from '../foreground/foreground.ts'
import { interruptsOf } from '../foreground/interrupts.ts'
import type { Arguments, CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { requestedRuns } from '../input/requested-run.ts'
import { stopped as askedToStop } from '../owner/acts.ts'
import { runningOf } from '../owner/known-runs.ts'
import { askEngine, openToRead } from '../owner/open-client.ts'
import { durationText } from '../view/text.ts'

const INTERRUPTED = 130

export const run: CommandModule['run'] = async (args, context) => {
  const fromRun = await stopped(args, context)
  if (!fromRun) return INTERRUPTED
  // The engine that ran it may have been a foreground start, which has left by now.
  return inForeground(args, context, (client) =>
    client.acts.startDag({ body: { fromRun, ...(client.isElsewhere ? {} : { unlimited: true }) } })
  )
}

/** The ended run, after the pause; undefined: the user interrupted. @throws TroupeError not_running */
async function stopped(args: Arguments, context: CliContext): Promise<RunKey | undefined> {
  const { err, clock } = context
  const settings = settingsOf(args)
  const say = (text: string) => void (args.on.has('quiet') || err.write(`${text}\n`))
  const [client, key] = await askEngine(context, settings, say, async (client) => {
    const { name, dagRunId: id } = await requestedRuns(args, context, client)
    const { dagRunId } = await runningRun(name, id, client.api)
    await askedToStop(client, name, dagRunId)
    return { name, dagRunId }
  })
  const { name, dagRunId } = key
  const interrupts = interruptsOf(context)
  try {
    say(`stopping run ${dagRunId} of ${name}`)
    const left = interrupts.next().then(() => {
      say('left: the run was asked to stop, and no other is started')
      return undefined
    })
    const ended = await Promise.race([client.follow(key, () => {}), left])
    if (!ended) return undefined
    const restartWaitMs = (await outlineIn(context, settings, key)).restartWaitSec * 1_000
    if (restartWaitMs === 0) return key
    say(`it has ended; the next one starts in ${durationText(restartWaitMs)}`)
    const enough = new AbortController()
    const waited = await Promise.race([pause(clock, restartWaitMs, enough.signal).then(() => true), left])
    enough.abort()
    return waited ? key : undefined
  } finally {
    interrupts.end()
    await client.close()
  }
}

// D1321: with `--url`, a restart is a stop and a reschedule
/** The outline of a run whose engine may have left with it. */
async function outlineIn(context: CliContext, settings: Settings, { name, dagRunId }: RunKey) {
  const client = await openToRead(context, settings)
  try {
    return await client.api.getRunOutline({ path: { name, dagRunId } })
  } finally {
    await client.close()
  }
}

async function runningRun(name: string, dagRunId: string | undefined, api: Client): Promise<RunKey> {
  const running = (await runningOf(api, name)).filter((run) => dagRunId === undefined || run.dagRunId === dagRunId)
  const [only, ...more] = running
  if (!only)
    throw new TroupeError(
      'not_running',
      `restart: wanted a running run, found none: ${dagRunId ? `run ${dagRunId} of ${name}` : name} is not running; troupe start begins one`
    )
  if (more.length === 0) return only
  const ids = running.map((run) => run.dagRunId).join(', ')
  throw new TroupeError(
    'bad_request',
    `restart: wanted one running run, found ${running.length}; say which with --run-id: ${ids}`
  )
}
