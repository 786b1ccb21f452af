/** The file of a socket: only its user can open it, and it exists for as long as its server listens. */
import { lstatSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname } from 'node:path'
import type { Clock } from '../clock.ts'
import { codeOf, TroupeError } from '../errors.ts'

/** How often the existence of the file is checked. */
const LOOK_MS = 10_000

/** The socket is never open to others, not even for a moment. @throws TroupeError internal_error */
export async function listen(server: Server, path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSocket()) rmSync(path)
  else if (found) {
    const what = found.isDirectory() ? 'a folder' : 'something else'
    throw new TroupeError('internal_error', `wanted a socket at ${path}, found ${what}; move it away`)
  }
  return new Promise((resolve, reject) => {
    server.on('error', (cause) => {
      const reason = codeOf(cause) ?? cause.message
      reject(new TroupeError('internal_error', `cannot listen on ${path}: ${reason}`, { cause }))
    })
    const mask = process.umask(0o177)
    try {
      // D1768: in a worker of `cluster` the primary process would listen, and outlive the owner
      server.listen({ path, exclusive: true }, resolve)
    } finally {
      process.umask(mask)
    }
  })
}

/**
 * Creates the file again when somebody, such as a cleanup job, has removed it: no command would find the server, and none could own
 * its home. Connections still go to `server`. Returns a function that ends this.
 */
export function keepThere(server: Server, path: string, clock: Clock): () => void {
  const others = new Set<Server>()
  let isOpen = true
  const identity = () => statSync(dirname(path), { throwIfNoEntry: false })?.ino
  const folder = identity()
  let cancel = clock.after(LOOK_MS, look)
  function look(): void {
    cancel = clock.after(LOOK_MS, look)
    if (identity() !== folder) return // that of another home, or none
    if (lstatSync(path, { throwIfNoEntry: false })) return
    const other = createServer((socket) => void server.emit('connection', socket))
    listen(other, path).then(
      () => (isOpen ? others.add(other) : other.close()),
      () => {} // as on a full disk: the next look tries again
    )
  }
  return () => {
    isOpen = false
    cancel()
    for (const other of others) other.close()
  }
}
