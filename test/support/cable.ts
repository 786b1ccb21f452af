/** A connection between a client and a server on this machine that can be cut, as when a network goes, and restored. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Cable {
  /** Where the client connects to. */
  port: number
  /** Breaks every connection; new ones break at once until it is restored. */
  cut(): void
  mend(): void
  close(): void
}

/** @param to port of the server */
export async function openCable(to: number): Promise<Cable> {
  const ends = new Set<Socket>()
  let isCut = false
  const keep = (end: Socket) => {
    ends.add(end)
    end.on('close', () => ends.delete(end))
    end.on('error', () => {}) // the other side has gone
  }
  const server = createServer((near) => {
    keep(near)
    if (isCut) {
      near.destroy()
      return
    }
    const far = connect(to, '127.0.0.1')
    keep(far)
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const end of [...ends]) end.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend() {
      isCut = false
    },
    close() {
      cut()
      server.close()
    }
  }
}
