/**
 * Limits connections: in total, and per address. When the total is reached, a new connection evicts one that is not being answered:
 * first the oldest without a complete request, then the oldest idle one.
 * Source: reliability F24, P20.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf, plainAddress } from './client-address.ts'
import { connectionsWithin } from './rules/open-files.ts'

const MOST_CONNECTIONS = 1_000
/** Refused connections that get an answer at the same time, beyond the limit, for each connection; others are closed at once. */
const REFUSED = 1 / 10

export interface ConnectionOptions {
  /** Whether an address is a proxy with many clients, which has no share. */
  isTrusted: (address: string) => boolean
  /** Whether an address is this machine's own. */
  isLocal: (address: string) => boolean
  /** Answers a client with the reason, and closes its connection. */
  refuse: (socket: Socket, refusal: Refusal) => void
}

export interface Refusal {
  status: 429 | 503
  message: string
}

interface Place {
  name: string
  socket: Socket
  network: string
  /** The latest request of the connection. */
  response?: ServerResponse
}

// D272: Connections, streams and buffers are shared fairly
/** Limits the connections of a server that does not listen yet. Those of a local socket are its owner's and have no share. */
export function limitConnections(server: Server, { isTrusted, isLocal, refuse }: ConnectionOptions): void {
  const most = connectionsWithin(MOST_CONNECTIONS)
  const share = Math.floor(most / 4)
  const mostRefused = Math.ceil(most * REFUSED)
  const places = new Map<string, Place>()
  const shares = new Map<string, number>()
  let refused = 0
  // Excess connections are refused before the server begins to read.
  server.maxConnections = most + mostRefused
  const accept = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const refusal = socket.remotePort === undefined ? undefined : takePlace(socket)
    if (refusal) turnAway(socket, refusal)
    else for (const listener of accept) listener.call(server, socket)
  })
  server.on('request', ({ socket }, response) => {
    const place = places.get(nameOf(socket))
    if (place) place.response = response
  })

  function turnAway(socket: Socket, refusal: Refusal): void {
    if (refused >= mostRefused) return void socket.destroy()
    refused++
    socket.once('close', () => refused--)
    refuse(socket, refusal)
  }

  function takePlace(socket: Socket): Refusal | undefined {
    const address = plainAddress(socket.remoteAddress ?? '')
    const network = networkOf(address)
    // Users of this machine and proxies on it have no share, but can be evicted like others.
    const isExempt = isLocal(address) || isTrusted(address)
    if (!isExempt && (shares.get(network) ?? 0) >= share)
      return {
        status: 429,
        message: `this address has ${share} connections, the most that one may have: close one first`
      }
    if (places.size >= most) {
      const idle = leastNeeded(places)
      if (!idle) return { status: 503, message: `all ${most} connections are in use: try again in a moment` }
      const { socket } = idle
      leave(idle)
      socket.destroy()
    }
    const place = { name: nameOf(socket), socket, network }
    places.set(place.name, place)
    shares.set(network, (shares.get(network) ?? 0) + 1)
    socket.once('close', () => leave(place))
    return undefined
  }

  function leave(place: Place): void {
    if (places.get(place.name) !== place) return // it gave way
    places.delete(place.name)
    const left = (shares.get(place.network) ?? 0) - 1
    if (left > 0) shares.set(place.network, left)
    else shares.delete(place.network)
  }
}

/** Under TLS the socket of a request is another object than the accepted one, with the same client. */
const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** A connection that can be closed without loss; undefined: each of them is being answered. */
function leastNeeded(places: ReadonlyMap<string, Place>): Place | undefined {
  let idle: Place | undefined
  for (const place of places.values()) {
    if (!place.response?.req.complete) return place
    if (place.response.closed) idle ??= place
  }
  return idle
}
