/** The way to the engine of a home: in the process that owns it, or else opened here. Source: api-semantics 11. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { pause } from '../../clock.ts'
import type { Config, Settings } from '../../config.ts'
import type { RunView } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { refuseUnusable } from '../../platform/home-folder.ts'
import { locate, mustLocate } from '../input/locate.ts'
import type { Surroundings } from '../surroundings.ts'
import type { EndOf } from './client.ts'
import { Gone } from './gone.ts'
import { catchUp, type Hearing } from './held-run.ts'
import { nothingHasRun } from './no-runs.ts'
import type { OpenDoor } from './opened.ts'
import { isTrusted, socketPath } from './socket-path.ts'

/** An owner that is just starting, or ending, is waited for; where commands take turns, each of them is. */
const CHANGE_OF_OWNER_MS = 5_000
const TURNS_MS = 60_000
const KNOCK_AGAIN_MS = 100

/**
 * @param settings what the engine is opened with, when one is opened here
 * @param say tells the user what is being waited for
 * @throws TroupeError service_unavailable when the owner cannot be talked to
 */
async function openDoor(
  surroundings: Surroundings,
  settings: Settings,
  say: (text: string) => void
): Promise<OpenDoor> {
  const { clock, configure } = surroundings
  const config = configure(settings)
  const turnsEnd = clock.elapsed() + TURNS_MS
  let patienceEnds = 0
  let told = ''
  for (;;) {
    const owner = await ownerOf(config, surroundings, (key, heard) => endInStore(key, surroundings, settings, heard))
    if (owner) return owner
    try {
      const { openHere } = await import('./open-here.ts')
      return await openHere(surroundings, settings, say)
    } catch (error) {
      if (!isInUse(error)) throw error
      if (error.message !== told) patienceEnds = clock.elapsed() + CHANGE_OF_OWNER_MS // it says who the owner is
      told = error.message
      if (clock.elapsed() > Math.min(patienceEnds, turnsEnd)) throw error
    }
    await pause(clock, KNOCK_AGAIN_MS)
  }
}

// D21
/**
 * Opens the engine and asks it for something. An owner that left before it heard that is followed by the next one, or by an engine here.
 * @returns the door, which is the caller's to close, and the answer
 */
export async function askAtDoor<T>(
  surroundings: Surroundings,
  settings: Settings,
  say: (text: string) => void,
  ask: (door: OpenDoor) => Promise<T>
): Promise<[OpenDoor, T]> {
  const { clock } = surroundings
  const turnsEnd = clock.elapsed() + TURNS_MS
  for (;;) {
    const door = await openDoor(surroundings, settings, say)
    try {
      return [door, await ask(door)]
    } catch (error) {
      await door.close()
      if (!(error instanceof Gone && error.unheard) || clock.elapsed() > turnsEnd) throw error
    }
  }
}

/** For looking only: the owner, or the store as it lies there. @throws TroupeError not_found when there is none yet, forbidden, bad_request */
export async function openToRead(surroundings: Surroundings, settings: Settings): Promise<OpenDoor> {
  const config = surroundings.configure(settings)
  const owner = await ownerOf(config, surroundings)
  if (owner) return owner
  refuseUnusable(config, 'read')
  if (!existsSync(join(config.dataDir, 'troupe.mdb'))) throw await nothingHasRun(config.home, surroundings)
  const [engine, { doorOf }] = await Promise.all([
    surroundings.createEngine({ ...settings, readOnly: true }),
    import('../../api/owner/door.ts')
  ])
  return { ...doorOf(engine), here: true, unneeded: async () => {}, close: () => engine.close() }
}

/**
 * Absolute path of the definition that a command without an engine was given: it is found where commands with one find it.
 * @throws TroupeError not_found, service_unavailable when the owner cannot be talked to
 */
export async function locateAsOwner(given: string, surroundings: Surroundings, config: Config): Promise<string> {
  const { cwd } = surroundings
  const here = locate(given, { cwd, dagsDir: cwd })
  if (here) return here // the working directory comes first, whoever owns the home
  const owner = await ownerOf(config, surroundings)
  await owner?.close()
  return mustLocate(given, { cwd, dagsDir: owner?.dagsDir ?? config.dagsDir })
}

const isInUse = (error: unknown): error is TroupeError =>
  error instanceof TroupeError && error.code === 'service_unavailable'

/** How a run has ended, whoever can say. Undefined: it has not, or nobody can. @param heard is told of its last events before */
export async function endInStore(
  { name, dagRunId }: RunKey,
  surroundings: Surroundings,
  settings: Settings,
  heard?: Hearing
): Promise<RunView | undefined> {
  try {
    const reader = await openToRead(surroundings, settings)
    try {
      const view = await reader.run(name, dagRunId)
      if (view?.run.finishedAt === undefined) return undefined
      if (heard) await catchUp(reader.facts, { name, dagRunId }, heard)
      return view
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (error instanceof TroupeError) return undefined
    throw error
  }
}

async function ownerOf({ dataDir }: Config, { clock }: Surroundings, endOf?: EndOf): Promise<OpenDoor | undefined> {
  const path = await socketPath(dataDir)
  if (!isTrusted(path, dataDir)) return undefined
  const { knock } = await import('./client.ts')
  const owner = await knock(path, clock, endOf)
  return owner && { ...owner, here: false, unneeded: async () => {}, close: async () => owner.close() }
}
