/** An engine that other processes of its user may use, over the socket of its home. Source: docs/embedding/several-processes.md. */
import { serveHome } from '../api/owner/local.ts'
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/engine.ts'

/** @throws TroupeError internal_error, forbidden (no socket can be made). The engine is closed then */
export async function servedEngine(engine: Engine, clock: Clock): Promise<Engine> {
  const local = await serveHome(engine, clock).catch(async (error) => {
    await engine.close()
    throw error
  })
  return {
    ...engine,
    /** Clients that have connected are answered first; those that follow a run hear that the engine closes, and wait for the next one. */
    async close(how) {
      await local.stopListening()
      try {
        await engine.close(how)
      } finally {
        if (engine.closing.aborted) await local.close()
      }
    }
  }
}
