/**
 * Who may connect: so many in all, a share of them for each address. When all places are taken, a connection that is not being answered
 * gives way to the new one: first the oldest of those that have not sent a whole request, then the oldest of those that are idle.
 * Source: reliability F24, P20.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf, plainAddress } from './client-address.ts'

const MOST_CONNECTIONS = 1_000
const SHARE = MOST_CONNECTIONS / 4
/** So many at a time are told why they are refused, beyond the places; others are closed at once. */
const MOST_REFUSED = 100

export interface ConnectionOptions {
  /** Comes for many, so that no share is set for it. */
  isTrusted: (address: string) => boolean
  /** Whether an address is this machine's own. */
  isLocal: (address: string) => boolean
  /** Tells a client why it is refused, and closes its connection. */
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
  /** The latest that was asked for on it. */
  response?: ServerResponse
}

// D272
/** Limits the connections of a server that does not listen yet. Those of a local socket are its owner's: they have no share. */
export function limitConnections(server: Server, { isTrusted, isLocal, refuse }: ConnectionOptions): void {
  const places = new Map<string, Place>()
  const shares = new Map<string, number>()
  let refused = 0
  // What is too much is refused here, before the server begins to read it.
  server.maxConnections = MOST_CONNECTIONS + MOST_REFUSED
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
    if (refused >= MOST_REFUSED) return void socket.destroy()
    refused++
    socket.once('close', () => refused--)
    refuse(socket, refusal)
  }

  function takePlace(socket: Socket): Refusal | undefined {
    const address = plainAddress(socket.remoteAddress ?? '')
    const network = networkOf(address)
    // This machine's users, and what stands before the server on it: they give way like others when the places are all taken.
    const isExempt = isLocal(address) || isTrusted(address)
    if (!isExempt && (shares.get(network) ?? 0) >= SHARE)
      return {
        status: 429,
        message: `this address has ${SHARE} connections, the most that one may have: close one first`
      }
    if (places.size >= MOST_CONNECTIONS) {
      const idle = leastNeeded(places)
      if (!idle)
        return { status: 503, message: `all ${MOST_CONNECTIONS} connections are in use: try again in a moment` }
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

/** Under TLS the connection of a request is another object than the one that was accepted, of the same client. */
const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** A connection that nothing is lost with; undefined: on each of them something is being answered. */
function leastNeeded(places: ReadonlyMap<string, Place>): Place | undefined {
  let idle: Place | undefined
  for (const place of places.values()) {
    if (!place.response?.req.complete) return place
    if (place.response.closed) idle ??= place
  }
  return idle
}
