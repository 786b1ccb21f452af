/** An engine for debugging a host application: its page on a port, its transitions to an inspector. Source: docs/inspect.md. */
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { Log } from '../log.ts'

export interface InspectOptions {
  /** Serve the API and its page on 127.0.0.1. Default: unless `to` is set. */
  serve?: boolean
  /** Default: any free port. */
  port?: number
  /** URL of a WebSocket that accepts the records of `@statelyai/inspect`. */
  to?: string
}

// D907: `inspect` listens on 127.0.0.1 without authentication by default
/** @throws TroupeError bad_request (`to` is no URL of a WebSocket); internal_error (the port is in use). The engine is closed then */
export async function inspectedEngine(
  engine: Engine,
  options: true | InspectOptions,
  { clock, log }: { clock: Clock; log: Log }
): Promise<Engine> {
  const { to, serve = to === undefined, port = 0 } = options === true ? {} : options
  const closers: (() => unknown)[] = []
  let ending: Promise<void> | undefined
  const end = async () => {
    for (const close of closers.splice(0)) await close()
  }
  const ended = () => {
    ending ??= end()
    return ending
  }
  /** Inspectors see the stops of the runs; a refused close ends nothing. */
  const close: Engine['close'] = async (how) => {
    try {
      await engine.close(how)
    } finally {
      if (engine.closing.aborted) await ended()
    }
  }
  try {
    if (to !== undefined) {
      const { openAdapter } = await import('../inspect/adapter.ts')
      const adapter = openAdapter({
        to,
        after: (ms, again) => clock.after(ms, again),
        warn: (message) => log.warn(message)
      })
      closers.push(engine.subscribe(adapter.tell), adapter.close)
    }
    if (!serve) return { ...engine, close }
    const { serve: listen } = await import('../api/server.ts')
    const server = await listen(engine, { host: '127.0.0.1', port })
    closers.push(() => server.close())
    process.stderr.write(`troupe: watch the engine at ${server.address}${engine.config.basePath}/\n`)
    return { ...engine, inspectedAt: `${server.address}${engine.config.basePath}`, close }
  } catch (error) {
    await ended()
    await engine.close()
    throw error
  }
}
