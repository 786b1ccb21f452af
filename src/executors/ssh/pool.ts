/**
 * Sessions on shared connections. A server accepts few sessions per connection (OpenSSH: 10), and one of them is reserved
 * for signals. When all are in use, a further connection is opened. Source: execution-semantics 10.3.4.
 */
import { createHash } from 'node:crypto'
import type { Client, ClientChannel } from 'ssh2'
import type { Clock } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import { Unrecorded } from '../frame/unrecorded.ts'
import { type ConnectLimits, connect, machineOf, type Trust } from './connect.ts'
import type { Credentials } from './credentials.ts'

export interface PoolLimits extends ConnectLimits {
  /** Sessions for steps on one connection, besides the one for signals. */
  sessions: number
  /** How long an idle connection is kept, ms. */
  idleMs: number
}

/** Choice: the default of OpenSSH, and a minute until a dead host is noticed. */
export const LIMITS: PoolLimits = {
  connectMs: 30_000,
  keepaliveMs: 15_000,
  keepaliveMissing: 3,
  sessions: 9,
  idleMs: 10_000
}

/** The host to connect to. */
export interface Peer {
  credentials: Credentials
  trust: Trust
}

/** Exit code or signal; neither: the connection was lost first. */
export interface RemoteEnd {
  code?: number
  signal?: NodeJS.Signals
}

export interface Session {
  channel: ClientChannel
  /** Resolves when the command has ended; never when the connection is lost, which only the channel's `close` reports. */
  exited: Promise<RemoteEnd>
}

export interface SshPool {
  /**
   * Starts a command in a new session, without a terminal.
   * @param urgent may use the session that is reserved for signals
   * @param signal cancels the wait for a connection, but not a command that was sent
   * @param sent called right before the command is sent, and with false when the server opened no session for it
   * @throws Error when the host cannot be reached or refuses the command
   */
  open(peer: Peer, line: string, options?: Opening): Promise<Session>
  close(): void
}

interface Opening {
  urgent?: boolean
  signal?: AbortSignal
  sent?(isSent: boolean): void
}

interface Connection {
  client: Client
  used: number
  /** The greatest number of sessions, as far as known, and how many of them are for signals. */
  room: number
  reserve: number
  open: boolean
  callOffEnd(): void
}

// D620: steps share connections
export function openPool(clock: Clock, limits: PoolLimits = LIMITS): SshPool {
  const connections = new Map<string, Set<Connection>>()
  const opening = new Map<string, Promise<void>>()
  const closing = new AbortController()

  /** One login at a time per host: servers refuse many at once. */
  function connecting(key: string, { credentials, trust }: Peer): Promise<void> {
    const under = opening.get(key)
    if (under) return under
    const opened = connect(credentials, trust, limits, closing.signal)
      .then((client) => add(key, client))
      .finally(() => opening.delete(key))
    opening.set(key, opened)
    return opened
  }

  function add(key: string, client: Client): void {
    const connection: Connection = {
      client,
      used: 0,
      room: limits.sessions + 1,
      reserve: 1,
      open: true,
      callOffEnd() {}
    }
    const all = connections.get(key) ?? new Set()
    connections.set(key, all.add(connection))
    client.once('close', () => {
      connection.callOffEnd()
      connection.open = false
      all.delete(connection)
      if (all.size === 0 && connections.get(key) === all) connections.delete(key)
    })
    settle(connection)
  }

  function settle(connection: Connection): void {
    if (connection.used > 0 || !connection.open || closing.signal.aborted) return
    connection.callOffEnd()
    connection.callOffEnd = clock.after(limits.idleMs, () => connection.client.end())
  }

  async function withRoom(peer: Peer, urgent: boolean, signal: AbortSignal | undefined): Promise<Connection> {
    const key = keyOf(peer)
    for (;;) {
      signal?.throwIfAborted()
      const free = [...(connections.get(key) ?? [])].find(
        ({ used, room, reserve }) => used < room - (urgent ? 0 : reserve)
      )
      if (free) {
        free.callOffEnd()
        free.used++
        return free
      }
      await orAborted(connecting(key, peer), signal)
    }
  }

  return {
    async open(peer, line, { urgent = false, signal, sent } = {}) {
      for (;;) {
        const connection = await withRoom(peer, urgent, signal)
        const release = () => {
          connection.used--
          settle(connection)
        }
        try {
          sent?.(true)
          const session = await execute(connection.client, line)
          session.channel.once('close', release)
          return session
        } catch (error) {
          release()
          if (error instanceof Unrecorded) throw error
          if (!(error instanceof Unopened) || connection.used === 0)
            throw new Error(`ssh ${machineOf(peer.credentials)}: ${messageOf(error)}`, { cause: error })
          sent?.(false)
          // The current number is its limit: the next session gets another connection.
          connection.room = Math.min(connection.room, connection.used)
          connection.reserve = 0
        }
      }
    },
    close() {
      closing.abort()
      for (const all of connections.values()) for (const { callOffEnd } of all) callOffEnd()
    }
  }
}

/** The server opened no session: no command was started. */
class Unopened extends Error {}

function execute(client: Client, line: string): Promise<Session> {
  return new Promise((resolve, reject) => {
    const lost = () => reject(new Error('the connection was lost before the command began'))
    client.once('close', lost)
    client.exec(line, (error: (Error & { reason?: unknown }) | undefined, channel) => {
      client.off('close', lost)
      // The end may follow in the same packet: listening after the promise resolves would miss it.
      if (!error) resolve({ channel, exited: exitOf(channel) })
      else if (error.reason === undefined) reject(new Error(`the command was not started: ${error.message}`))
      else reject(new Unopened(`the server opens no session: ${error.message}`))
    })
  })
}

const exitOf = (channel: ClientChannel): Promise<RemoteEnd> =>
  new Promise((resolve) => {
    channel.once('exit', (code: number | null, signal = '') => {
      const name = signal.startsWith('SIG') ? signal : `SIG${signal}`
      resolve(typeof code === 'number' ? { code } : { signal: name as NodeJS.Signals }) // the name sent by the server
    })
  })

/** Connections are shared only between identical targets. */
const keyOf = ({ credentials: { privateKey, ...rest }, trust }: Peer): string =>
  createHash('sha256')
    .update(JSON.stringify([rest, trust, privateKey?.toString('base64')]))
    .digest('hex')

function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
