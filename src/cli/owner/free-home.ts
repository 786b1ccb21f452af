/** Waits for a home that another engine owns. Source: execution-semantics 11.19, api-semantics 6.4. */
import { type Clock, pause } from '../../clock.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'

export interface Waits {
  clock: Clock
  /** Between two tries. */
  everyMs: number
  /** Called once. */
  say(message: string): void
}

/** Opens an engine as soon as its home is free; undefined: `stopped` came first. @throws any other error of `open` */
export async function whenFree(
  open: () => Promise<Engine>,
  stopped: Promise<void>,
  { clock, everyMs, say }: Waits
): Promise<Engine | undefined> {
  const enough = new AbortController()
  void stopped.then(() => enough.abort())
  for (let isFirst = true; !enough.signal.aborted; isFirst = false)
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof TroupeError && error.details?.owner !== undefined)) throw error
      if (isFirst) say(`this home is in use by the engine with process id ${error.details.owner}: waiting for its end`)
      await pause(clock, everyMs, enough.signal)
    }
  return undefined
}
