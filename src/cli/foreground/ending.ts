/** The end of a run that was asked to stop. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import { pause } from '../../clock.ts'
import type { Settings } from '../../config.ts'
import type { RunView } from '../../engine/engine.ts'
import { endInStore } from '../owner/open-door.ts'
import type { OpenDoor } from '../owner/opened.ts'
import type { Surroundings } from '../surroundings.ts'

/** A foreground start goes when its run has ended, perhaps before it could say so: then the store says how, looked into this often. */
const LOOK_MS = 500

export async function endOf(
  key: RunKey,
  door: OpenDoor,
  surroundings: Surroundings,
  settings: Settings
): Promise<RunView> {
  const known = new AbortController()
  const stored = async () => {
    for (;;) {
      await pause(surroundings.clock, LOOK_MS, known.signal)
      if (known.signal.aborted) return new Promise<never>(() => {})
      const view = await endInStore(key, surroundings, settings)
      if (view) return view
    }
  }
  const told = door
    .watch(key, () => {})
    .catch(async (error) => {
      const view = await endInStore(key, surroundings, settings)
      if (view) return view
      throw error
    })
  try {
    return await (door.here ? told : Promise.race([told, stored()]))
  } finally {
    known.abort()
  }
}
