/** The end of a run that was asked to stop. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunDetails } from '../../client/index.ts'
import { pause } from '../../clock.ts'
import type { Settings } from '../../config.ts'
import type { CliContext } from '../context.ts'
import { endInStore } from '../owner/open-client.ts'
import type { OpenClient } from '../owner/opened.ts'

/** A foreground start leaves when its run has ended, perhaps before it could answer: the store is read this often. */
const LOOK_MS = 500

export async function endOf(
  key: RunKey,
  client: OpenClient,
  context: CliContext,
  settings: Settings
): Promise<RunDetails> {
  const known = new AbortController()
  const stored = async () => {
    for (;;) {
      await pause(context.clock, LOOK_MS, known.signal)
      if (known.signal.aborted) return new Promise<never>(() => {})
      const run = await endInStore(key, context, settings)
      if (run) return run
    }
  }
  const followed = client
    .follow(key, () => {})
    .catch(async (error) => {
      const run = await endInStore(key, context, settings)
      if (run) return run
      throw error
    })
  try {
    return await (client.here ? followed : Promise.race([followed, stored()]))
  } finally {
    known.abort()
  }
}
