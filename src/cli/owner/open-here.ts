/** An engine of this process: it owns the home, and serves its socket so that other commands find it. Source: api-semantics 11. */
import { stepIn } from '../../api/owner/calling-step.ts'
import { type LocalServer, serveLocal } from '../../api/owner/local.ts'
import type { Settings } from '../../config.ts'
import type { Engine } from '../../engine/engine.ts'
import { type Log, openLog } from '../../log.ts'
import type { CliContext } from '../context.ts'
import { clientHere } from './client-here.ts'
import type { OpenClient } from './opened.ts'
import { prepareSocketFolder, socketPath } from './socket-path.ts'

// D405: only a server starts queued runs
/**
 * It starts no queued run: it leaves soon, and a foreground run should not have to wait for a queue.
 * @throws TroupeError service_unavailable when another process owns the home
 */
export async function openHere(
  context: CliContext,
  settings: Settings,
  say: (text: string) => void
): Promise<OpenClient> {
  const { clock, createEngine } = context
  const openedAt = clock.now()
  const log = warnings(context, settings, say)
  const engine = await createEngine({ ...settings, log, holdQueues: true })
  try {
    const local = await serveSocket(engine)
    return {
      ...clientHere(engine, clock, stepIn(engine.config.environment)),
      async unneeded() {
        await runsStartedHere(engine, openedAt, say)
        await local.stopListening()
        await runsStartedHere(engine, openedAt, say) // another may have arrived meanwhile
      },
      async close() {
        await local.close()
        await engine.close({ runs: 'leave' })
      }
    }
  } catch (error) {
    await engine.close({ runs: 'leave' })
    throw error
  }
}

/** The engine's log without its infos. */
function warnings({ clock, configure }: CliContext, settings: Settings, say: (text: string) => void): Log {
  const { logFormat: format } = configure(settings)
  return { ...openLog(clock, { format, debug: false, write: (line) => say(line.trimEnd()) }), info() {} }
}

/** Serves the socket of the home that `engine` owns. */
export async function serveSocket(engine: Engine): Promise<LocalServer> {
  const { dataDir } = engine.config
  const path = await socketPath(dataDir)
  prepareSocketFolder(path, dataDir)
  return serveLocal(engine, path)
}

/** Waits for runs that began in this process; those that were open before are left to the next engine. */
async function runsStartedHere(engine: Engine, openedAt: number, say: (text: string) => void): Promise<void> {
  for (;;) {
    const running = engine.runs({ status: ['running'], from: openedAt })
    if (running.length === 0) return
    const names = running.slice(0, 3).map(({ name, dagRunId }) => `${name} ${dagRunId}`)
    const more = running.length > names.length ? ` and ${running.length - names.length} more` : ''
    say(
      `other commands started runs in this process; waiting for ${names.join(', ')}${more} (Ctrl-C leaves them to the next engine)`
    )
    await Promise.all(running.map((key) => engine.result(key)))
  }
}
