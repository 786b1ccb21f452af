/** Opens a client of the engine of a home: of the process that owns it, or of an engine in this one. Source: api-semantics 11. */
import { existsSync } from 'node:fs'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { Gone } from '../../api/owner/gone.ts'
import { isTrusted, socketPath } from '../../api/owner/socket-path.ts'
import type { RunDetails } from '../../client/index.ts'
import { pause } from '../../clock.ts'
import type { Config, Settings } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { refuseUnusable } from '../../platform/home-folder.ts'
import type { CliContext, Remote } from '../context.ts'
import { locate, mustLocate } from '../input/locate.ts'
import { catchUp, type Hearing, type Outside } from './held-run.ts'
import type { HomeClient } from './home-client.ts'
import { runOf } from './known-runs.ts'
import type { OpenClient } from './opened.ts'

/** How long to wait for one owner that is starting or ending, and for all of them where commands use the home one by one. */
const CHANGE_OF_OWNER_MS = 5_000
const IN_USE_MS = 60_000
const RETRY_MS = 100

/**
 * @param settings for an engine that is opened here
 * @param say shows the user what is being waited for
 * @throws TroupeError service_unavailable when the owner does not answer
 */
async function openClient(context: CliContext, settings: Settings, say: (text: string) => void): Promise<OpenClient> {
  const { clock, configure, remote } = context
  if (remote) return openThere(remote, context)
  const config = configure(settings)
  const allEnds = clock.elapsed() + IN_USE_MS
  let patienceEnds = 0
  let lastError = ''
  for (;;) {
    const owner = await ownerOf(config, context, (key, heard) => endInStore(key, context, settings, heard))
    if (owner) return owner
    try {
      const { openHere } = await import('./open-here.ts')
      return await openHere(context, settings, say)
    } catch (error) {
      if (!isInUse(error)) throw error
      if (error.message !== lastError) patienceEnds = clock.elapsed() + CHANGE_OF_OWNER_MS // it names the owner
      lastError = error.message
      if (clock.elapsed() > Math.min(patienceEnds, allEnds)) throw error
    }
    await pause(clock, RETRY_MS)
  }
}

// D21: commands talk to the engine that owns the home
/**
 * Opens a client and sends it a request. When the owner left before the request arrived, it goes to the next owner or to an engine here.
 * @returns the client, which the caller closes, and the answer
 */
export async function askEngine<T>(
  context: CliContext,
  settings: Settings,
  say: (text: string) => void,
  ask: (client: OpenClient) => Promise<T>
): Promise<[OpenClient, T]> {
  const { clock } = context
  const allEnds = clock.elapsed() + IN_USE_MS
  for (;;) {
    const client = await openClient(context, settings, say)
    try {
      return [client, await ask(client)]
    } catch (error) {
      await client.close()
      if (!(error instanceof Gone && error.unsent) || clock.elapsed() > allEnds) throw error
    }
  }
}

/** A client for reading: of the owner, or of the store on disk, which is empty where nothing has run. @throws TroupeError forbidden, bad_request */
export async function openToRead(context: CliContext, settings: Settings): Promise<OpenClient> {
  if (context.remote) return openThere(context.remote, context)
  const config = context.configure(settings)
  const owner = await ownerOf(config, context)
  if (owner) return owner
  refuseUnusable(config, 'read')
  const [engine, { readingClient }] = await Promise.all([
    context.createEngine({ ...settings, readOnly: true, log: warningsTo(context) }),
    import('./client-here.ts')
  ])
  return readingClient(engine, context.clock)
}

function warningsTo({ err }: CliContext): Log {
  const nothing = () => {}
  const warn: Log['warn'] = (message, { reason } = {}) => void err.write(`warning: ${message}: ${reason}\n`)
  return { debug: nothing, info: nothing, error: nothing, warn }
}

/**
 * Absolute path of the definition for a command that opens no engine, found where other commands would find it.
 * @throws TroupeError not_found, service_unavailable when the owner does not answer
 */
export async function locateAsOwner(passed: string, context: CliContext, config: Config): Promise<string> {
  const { cwd } = context
  const here = locate(passed, { cwd, dagsDir: cwd })
  if (here) return here // the working directory takes precedence in every case
  const owner = await ownerOf(config, context)
  await owner?.close()
  return mustLocate(passed, { cwd, dagsDir: owner?.dagsDir ?? config.dagsDir })
}

async function openThere(remote: Remote, { clock }: CliContext): Promise<OpenClient> {
  const { openRemote } = await import('../remote/client.ts')
  return openRemote(remote, clock)
}

const isInUse = (error: unknown): error is TroupeError =>
  error instanceof TroupeError && error.code === 'service_unavailable'

/** How a run has ended, from the owner or the store; undefined: it has not, or that is unknown. @param heard receives its last events first */
export async function endInStore(
  key: RunKey,
  context: CliContext,
  settings: Settings,
  heard?: Hearing
): Promise<RunDetails | undefined> {
  try {
    const reader = await openToRead(context, settings)
    try {
      const run = await runOf(reader.api, key)
      if (!run?.finishedAt) return undefined
      if (heard) await catchUp(reader.api, key, heard)
      return run
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (error instanceof TroupeError) return undefined
    throw error
  }
}

/** Undefined: no process that other commands could ask owns the home. @throws TroupeError service_unavailable when it does not answer */
export async function ownerOf(
  { dataDir, environment }: Pick<Config, 'dataDir' | 'environment'>,
  { clock }: Pick<CliContext, 'clock'>,
  endOf?: Outside['end']
): Promise<HomeClient | undefined> {
  const path = await socketPath(dataDir)
  // Most homes have no owner: nothing that could ask one is loaded.
  if (!existsSync(path) || !isTrusted(path, dataDir)) return undefined
  const [{ connectToOwner }, { stepIn }] = await Promise.all([
    import('./client.ts'),
    import('../../api/owner/calling-step.ts')
  ])
  return connectToOwner(path, clock, endOf, stepIn(environment))
}
