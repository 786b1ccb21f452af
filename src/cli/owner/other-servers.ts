/** Running engines of this user on other homes. There is no list of them, but the kernel knows which sockets are open. */
import { lstatSync, readFileSync } from 'node:fs'
import { type Clock, pause } from '../../clock.ts'

export interface OtherServer {
  /** Absolute path. */
  home: string
}

/** How many are asked, and for how long: a hint is not worth more. */
const MOST = 8
const PATIENCE_MS = 500

/** A line of `/proc/net/unix` for a listening socket with a path like ours. */
const LISTENS = /^[0-9a-f]+: \S+ \S+ 00010000 \S+ \S+ +\d+ (\/.*\/(?:troupe|[0-9a-f]{24})\.sock)$/gm

// D435: servers of other homes are found through `/proc/net/unix`
/** @param home the one to leave out @param listening the kernel's table of sockets */
export async function otherServers(home: string, clock: Clock, listening = socketsOf()): Promise<OtherServer[]> {
  const paths = [...listening.matchAll(LISTENS)].map(([, path = '']) => path).filter(isOwn)
  if (paths.length === 0) return []
  const { connectToOwner } = await import('./client.ts')
  const homes = await Promise.all(
    paths.slice(0, MOST).map(async (path) => {
      const enough = new AbortController()
      const client = connectToOwner(path, clock).catch(() => undefined) // stuck, or an older release
      const asked = await Promise.race([client, pause(clock, PATIENCE_MS, enough.signal).then(() => undefined)])
      enough.abort()
      void client.then((client) => client?.close())
      return asked?.home
    })
  )
  return [...new Set(homes)].flatMap((found) => (found === undefined || found === home ? [] : [{ home: found }]))
}

/** Empty: the kernel has no such table. */
function socketsOf(): string {
  try {
    return readFileSync('/proc/net/unix', 'utf8')
  } catch {
    return ''
  }
}

/** Sockets of this user only, because their answers are shown. */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isSocket() === true && found.uid === process.getuid?.()
}
