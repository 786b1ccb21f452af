/**
 * The way to the engine of a home: another process that owns it, or one opened here. Who opens it owns it, and serves its
 * socket so that other commands find it. Source: api-semantics 11.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Door } from '../api/door.ts'
import type { LocalServer } from '../api/local.ts'
import { pause } from '../clock.ts'
import type { Config, Settings } from '../config.ts'
import type { Engine } from '../engine.ts'
import { TroupeError } from '../errors.ts'
import { type Log, openLog } from '../log.ts'
import { isTrusted, prepareSocketFolder, socketPath } from './socket-path.ts'
import type { Surroundings } from './surroundings.ts'

export interface OpenDoor extends Door {
  /** The engine lives in this process. */
  readonly here: boolean
  /** Resolves when no other command needs the engine in this process; new ones are turned away from then on. */
  unneeded(): Promise<void>
  /** Ends the use of the engine. In one that lives here, running steps live on, and the next engine goes on with their runs. */
  close(): Promise<void>
}

/** An owner that is just starting, or ending, is waited for. */
const CHANGE_OF_OWNER_MS = 5_000
const KNOCK_AGAIN_MS = 100

/**
 * @param settings what the engine is opened with, when one is opened here
 * @param say tells the user what is being waited for
 * @throws TroupeError service_unavailable when the owner cannot be talked to
 */
export async function openDoor(
  surroundings: Surroundings,
  settings: Settings,
  say: (text: string) => void
): Promise<OpenDoor> {
  const { clock, configure } = surroundings
  const config = configure(settings)
  const patienceEnds = clock.elapsed() + CHANGE_OF_OWNER_MS
  for (;;) {
    const owner = await ownerOf(config, surroundings)
    if (owner) return owner
    try {
      return await openHere(surroundings, settings, say)
    } catch (error) {
      if (!isInUse(error) || clock.elapsed() > patienceEnds) throw error
    }
    await pause(clock, KNOCK_AGAIN_MS)
  }
}

/** For looking only: the owner, or the store as it lies there. @throws TroupeError not_found when there is none yet */
export async function openToRead(surroundings: Surroundings, settings: Settings): Promise<OpenDoor> {
  const config = surroundings.configure(settings)
  const owner = await ownerOf(config, surroundings)
  if (owner) return owner
  if (!existsSync(join(config.dataDir, 'troupe.mdb')))
    throw new TroupeError('not_found', `nothing has run in ${config.home} yet`)
  const [engine, { doorOf }] = await Promise.all([
    surroundings.createEngine({ ...settings, readOnly: true }),
    import('../api/door.ts')
  ])
  return { ...doorOf(engine), here: true, unneeded: async () => {}, close: () => engine.close() }
}

const isInUse = (error: unknown) => error instanceof TroupeError && error.code === 'service_unavailable'

async function ownerOf({ dataDir }: Config, { clock }: Surroundings): Promise<OpenDoor | undefined> {
  const path = await socketPath(dataDir)
  if (!isTrusted(path, dataDir)) return undefined
  const { knock } = await import('./client.ts')
  const owner = await knock(path, clock)
  return owner && { ...owner, here: false, unneeded: async () => {}, close: async () => owner.close() }
}

async function openHere(
  surroundings: Surroundings,
  settings: Settings,
  say: (text: string) => void
): Promise<OpenDoor> {
  const { clock, createEngine } = surroundings
  const openedAt = clock.now()
  const log = warnings(surroundings, settings, say)
  const [engine, { doorOf }] = await Promise.all([createEngine({ ...settings, log }), import('../api/door.ts')])
  try {
    const local = await serveSocket(engine)
    return {
      ...doorOf(engine),
      here: true,
      async unneeded() {
        await runsStartedHere(engine, openedAt, say)
        local.stopListening()
        await runsStartedHere(engine, openedAt, say) // one may have come in meanwhile
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

/** Of the engine's log, what went wrong. */
function warnings({ clock, configure }: Surroundings, settings: Settings, say: (text: string) => void): Log {
  const { logFormat: format } = configure(settings)
  return { ...openLog(clock, { format, debug: false, write: (line) => say(line.trimEnd()) }), info() {} }
}

/** Serves the socket of the home that `engine` owns. */
export async function serveSocket(engine: Engine): Promise<LocalServer> {
  const { dataDir } = engine.config
  const path = await socketPath(dataDir)
  prepareSocketFolder(path, dataDir)
  const { serveLocal } = await import('../api/local.ts')
  return serveLocal(engine, path)
}

/** Waits for runs that began in this process; those it found open when it came are left to the next engine. */
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
