/** An engine of this process: it owns the home, and serves its socket so that other commands find it. Source: api-semantics 11. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import { stepIn } from '../../api/owner/calling-step.ts'
import { Gone } from '../../api/owner/gone.ts'
import { serveHome } from '../../api/owner/local.ts'
import type { JournalEvent, RunDetails } from '../../client/index.ts'
import type { Settings } from '../../config.ts'
import type { Engine } from '../../engine/engine.ts'
import { type Log, openLog } from '../../log.ts'
import type { CliContext } from '../context.ts'
import { clientHere } from './client-here.ts'
import { type Hearing, hearing } from './held-run.ts'
import type { OpenClient } from './opened.ts'

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
    const local = await serveHome(engine)
    return {
      ...clientHere(engine, clock, stepIn(engine.config.environment)),
      follow: (key, listen, { after } = {}) => toItsEndHere(engine, key, hearing(listen, after)),
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

/** As the answer to a start goes on, without a request that would load more of the API, and without a stream. */
async function toItsEndHere(engine: Engine, { name, dagRunId }: RunKey, { last, hear }: Hearing): Promise<RunDetails> {
  const { followed } = await import('../../api/owner/followed.ts')
  const key = { name, dagRunId }
  const started = { key, queued: false, after: last ?? engine.latestSeq(key) }
  for await (const lines of followed(engine, started, engine.closing))
    for (const line of lines.trimEnd().split('\n')) {
      const { event, ended }: { event?: JournalEvent; ended?: RunDetails } = JSON.parse(line)
      if (ended) return ended
      if (event) hear(event)
    }
  throw new Gone()
}

/** The engine's log without its infos. */
function warnings({ clock, configure }: CliContext, settings: Settings, say: (text: string) => void): Log {
  const { logFormat: format } = configure(settings)
  return { ...openLog(clock, { format, debug: false, write: (line) => say(line.trimEnd()) }), info() {} }
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
