/** The end of a run that was asked to stop. */
import type { RunKey } from '../../machines/vocabulary.ts'
import type { Door } from '../api/door.ts'
import type { Settings } from '../config.ts'
import type { RunView } from '../engine.ts'
import { openToRead } from './open-door.ts'
import type { Surroundings } from './surroundings.ts'

/** A foreground start goes when its run has ended, perhaps before it could say so: then the store says how. */
export async function endOf(key: RunKey, door: Door, surroundings: Surroundings, settings: Settings): Promise<RunView> {
  try {
    return await door.watch(key, () => {})
  } catch (error) {
    const reader = await openToRead(surroundings, settings)
    try {
      const view = await reader.run(key.name, key.dagRunId)
      if (view && view.run.finishedAt !== undefined) return view
    } finally {
      await reader.close()
    }
    throw error
  }
}
