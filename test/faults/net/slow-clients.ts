/** Clients that take their time, and how long the server holds each of them. Source: reliability T11. */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

/** What a client does. */
export interface Manner {
  name: string
  /** Sent at once. */
  opening: string | Buffer
  /** Sent again and again after that, a moment apart. */
  drop?: string
  /** It reads what comes. */
  reads: boolean
  /** When the server must have closed it, ms after the opening. Source: docs/reliability.md, "Limits of the server". */
  limitMs: number
  /** After the latest byte of an answer instead. */
  sinceAnswer?: true
}

export interface SlowClient {
  manner: Manner
  socket: Socket
  /** Its time runs since then. */
  since: number
  /** The server had a socket for it then. */
  seenAt?: number
  /** Since then the server has had no socket for it. */
  releasedAt?: number
}

/** Resolves when the opening is on its way. The server may hang up at any time. */
export function openSlowClient(port: number, manner: Manner): Promise<SlowClient> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }) // it never hangs up by itself
    const client: SlowClient = { manner, socket, since: performance.now() }
    if (manner.reads)
      socket.on('data', () => {
        if (manner.sinceAnswer) client.since = performance.now()
      })
    socket.on('error', () => {})
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.write(manner.opening)
      client.since = performance.now()
      resolve(client)
    })
  })
}

export function dripOnce({ manner: { drop }, socket }: SlowClient): void {
  if (drop !== undefined && socket.writable) socket.write(drop)
}

/** The server has ended its side. */
export const hasHungUp = ({ socket }: SlowClient): boolean => socket.closed || socket.readableEnded

/** Ports of clients that a process holds a socket for, at the port that it serves; closed ones that the kernel still sends from are not held. */
export function heldAt(port: number): Set<number> {
  const lines = readFileSync('/proc/net/tcp', 'latin1').trimEnd().split('\n').slice(1)
  return new Set(
    lines.flatMap((line) => {
      const [, local = '', remote = '', , , , , , , inode] = line.trim().split(/\s+/)
      const [own, other] = [local, remote].map((address) => Number.parseInt(address.split(':')[1] ?? '', 16))
      return own === port && inode !== '0' && other !== undefined && other > 0 ? [other] : []
    })
  )
}
