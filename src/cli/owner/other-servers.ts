/** Engines of this user that are at work on other homes: nobody keeps a list, but the kernel knows who listens. */
import { lstatSync, readFileSync } from 'node:fs'
import { type Clock, pause } from '../../clock.ts'

export interface OtherServer {
  /** Absolute. */
  home: string
}

/** Those that are asked, and for how long: a hint is not worth more. */
const MOST = 8
const PATIENCE_MS = 500

/** A line of `/proc/net/unix` of a socket that listens, with the path of one of ours. */
const LISTENS = /^[0-9a-f]+: \S+ \S+ 00010000 \S+ \S+ +\d+ (\/.*\/(?:troupe|[0-9a-f]{24})\.sock)$/gm

// D435
/** @param home whose engine is not meant @param listening what the kernel says */
export async function otherServers(home: string, clock: Clock, listening = socketsOf()): Promise<OtherServer[]> {
  const paths = [...listening.matchAll(LISTENS)].map(([, path = '']) => path).filter(isOwn)
  if (paths.length === 0) return []
  const { knock } = await import('./client.ts')
  const homes = await Promise.all(
    paths.slice(0, MOST).map(async (path) => {
      const enough = new AbortController()
      const door = knock(path, clock).catch(() => undefined) // a stuck one, or an older release
      const asked = await Promise.race([door, pause(clock, PATIENCE_MS, enough.signal).then(() => undefined)])
      enough.abort()
      void door.then((door) => door?.close())
      return asked?.home
    })
  )
  return [...new Set(homes)].flatMap((found) => (found === undefined || found === home ? [] : [{ home: found }]))
}

/** Empty: the kernel does not say. */
function socketsOf(): string {
  try {
    return readFileSync('/proc/net/unix', 'utf8')
  } catch {
    return ''
  }
}

/** Nobody else's: what it says would be shown. */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isSocket() === true && found.uid === process.getuid?.()
}
