/**
 * The owner's socket: the API, and beside it what only the user who owns the home may ask (`routes.ts`). It is reached through a file that
 * only this user can open, so a definition may be named by path here and nowhere else. Source: api-semantics 11.
 *
 * `GET /local/engine` says what a command has to know first, whatever its release is, and `GET /local/held` is answered until the end. Other
 * paths below `/local/` are those of older ones.
 * A request of the command line has the header `Troupe-Command`: the step in which the command runs, or nothing.
 */
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type Clock, nextTurn, pause, systemClock } from '../../clock.ts'
import type { Engine } from '../../engine/engine.ts'
import { keepThere, listen } from '../socket-file.ts'
import { askersOf } from './askers.ts'
import { PROTOCOL } from './calling-step.ts'
import { HELD, heldAnswers } from './held.ts'
import { homeOf } from './home.ts'
import { MOUNT_HEADER } from './mount-header.ts'
import { prepareSocketFolder, socketPath } from './socket-path.ts'
import { lateListener, trustedApi } from './trusted-api.ts'

/** Time for pending answers when the server closes. */
const CLOSING_MS = 500
/** A client sends its request as soon as it has connected, on a busy machine later; a closing server waits no longer for one. */
const ASKING_MS = 2_000
export interface LocalServer {
  /** From now on clients are told that the web page is at this address. */
  announce(page: string): void
  /** Removes the socket file. Resolves when clients that had already connected have sent their request, or were too slow. */
  stopListening(): Promise<void>
  /** The same, and resolves when all answers are sent. Clients that follow a run are disconnected. */
  close(): Promise<void>
}

/** Serves the socket of the home that `engine` owns. @throws TroupeError internal_error, forbidden */
export async function serveHome(engine: Engine, clock?: Clock): Promise<LocalServer> {
  const { dataDir } = engine.config
  const path = await socketPath(dataDir)
  prepareSocketFolder(path, dataDir)
  return serveLocal(engine, path, clock)
}

// D307: the command line's socket knows neither credentials nor switches
/**
 * Serves `engine` on a socket at `path`; only its user can connect. Replaces the file of a dead owner: the server
 * owns the home.
 * @throws TroupeError internal_error
 */
export async function serveLocal(engine: Engine, path: string, clock: Clock = systemClock): Promise<LocalServer> {
  const known = { protocol: PROTOCOL, ...homeOf(engine), page: '' }
  const api = trustedApi(engine)
  const mounts = lateListener(async () => (await import('../mount/forwarded.ts')).forwardedMounts(engine))
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    askers.heard(request.socket)
    const { url = '' } = request
    if (MOUNT_HEADER in request.headers) return mounts(request, response)
    if (!url.startsWith('/local/')) return api(request, response)
    if (url === HELD) return held.hold(response)
    const isFirst = url === '/local/engine'
    const { page, ...rest } = known
    response.writeHead(isFirst ? 200 : 400, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(isFirst ? { ...rest, ...(page ? { page } : {}) } : NEWER))
  })
  const askers = askersOf(server)
  const held = heldAnswers()
  await listen(server, path)
  const leave = keepThere(server, path, clock)
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  async function stopListening(): Promise<void> {
    if (!server.listening) return
    leave()
    rmSync(path, { force: true })
    held.endAll()
    for (let turn = 0; turn < 2; turn++) await nextTurn(clock) // pending connections are accepted
    const enough = new AbortController()
    await Promise.race([askers.allHeard(), pause(clock, ASKING_MS, enough.signal)])
    enough.abort()
    if (server.listening) server.close()
  }
  return {
    announce(page) {
      known.page = page
    },
    stopListening,
    async close() {
      await stopListening()
      const cancel = clock.after(CLOSING_MS, () => server.closeAllConnections())
      server.closeIdleConnections()
      await closed
      cancel()
    }
  }
}

// D1671: each side refuses the other's release with a sentence
const NEWER = {
  code: 'not_found',
  message: 'the engine of this home is of a newer release of Troupe than this command: use its command'
}
