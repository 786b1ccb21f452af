/**
 * A bus over one NATS server or a cluster: core messaging only, nothing is stored there. The package is loaded by the first connection.
 * Source: distribution 0.1, 3.
 */
import type { ConnectionOptions, Msg, MsgHdrs, NatsConnection, Subscription } from '@nats-io/transport-node'
import { type Clock, pause } from '../clock.ts'
import { messageOf } from '../errors.ts'
import { type Bus, type BusState, type Heard, Unanswered } from './bus.ts'
import { type BusTls, tlsOptions, WRONG_FILE } from './bus-tls.ts'
import { MOST_BYTES } from './envelope.ts'

export type { BusTls } from './bus-tls.ts'

/** Where the servers are, and how one gets in. */
export interface NatsServers {
  /** `host:port` of each server, tried in turn. */
  servers: readonly string[]
  user?: string
  password?: string
  /** Seed of a worker's key, instead of both. */
  seed?: string
  /** Absent: without TLS unless the server wants it. */
  tls?: BusTls
}

interface Connecting {
  /** Shown by the server. */
  name: string
  /** First words of the subjects of answers. */
  inbox: string
  clock: Clock
}

export type NatsOptions = Connecting &
  (
    | NatsServers
    | {
        /** Asked before each connection. @throws Error why there is none now, as a sentence */
        find(): NatsServers
      }
  )

/** A frozen server is noticed after two of them. */
const PING_MS = 2_000
const CONNECT_MS = 5_000
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 2_000

type MakeHeaders = () => MsgHdrs
/** Header with the text of an answer that is bytes. */
const TEXT = 'Troupe-Text'

interface Listening {
  pattern: string
  listen(heard: Heard): void
  subscription?: Subscription | undefined
}

// D983: the bus makes its connections itself, one at a time
/** Returns at once, and connects for as long as it is open. */
export function openNatsBus(options: NatsOptions): Bus {
  const { clock } = options
  const leaving = new AbortController()
  const listeners = new Set<(state: BusState) => void>()
  const hearing = new Set<Listening>()
  let connection: NatsConnection | undefined
  let makeHeaders: MakeHeaders | undefined
  let trouble = ''

  const say = (state: BusState) => {
    for (const listen of [...listeners]) listen(state)
  }
  function subscribe(to: NatsConnection, one: Listening, headers: MakeHeaders): void {
    one.subscription = to.subscribe(one.pattern, {
      callback(error, message) {
        if (error || message.data.length > MOST_BYTES) return
        one.listen({
          subject: message.subject,
          text: message.string(),
          answer(text, data) {
            if (to.isClosed()) return
            if (!data) return void message.respond(text)
            const beside = headers()
            beside.set(TEXT, text)
            message.respond(data, { headers: beside })
          }
        })
      }
    })
  }

  async function live(): Promise<void> {
    const client = await import('@nats-io/transport-node')
    let waitMs = FIRST_WAIT_MS
    let how: Pick<NatsServers, 'tls' | 'seed' | 'user'> = {}
    while (!leaving.signal.aborted) {
      try {
        const found = 'find' in options ? options.find() : options
        how = found
        const opened = await client.connect(connectionOptions(options, found, client))
        if (leaving.signal.aborted) return await opened.close()
        connection = opened
        makeHeaders = client.headers
        for (const one of hearing) subscribe(opened, one, makeHeaders)
        waitMs = FIRST_WAIT_MS
        trouble = ''
        say('connected')
        const cause = await opened.closed()
        trouble = cause ? troubleOf(cause, how) : 'the connection was closed'
      } catch (error) {
        trouble = troubleOf(error, how)
      }
      const wasConnected = connection !== undefined
      connection = undefined
      if (wasConnected || waitMs === FIRST_WAIT_MS) say('away')
      // Many lose their server at the same instant.
      const [random = 0] = clock.random(1)
      await pause(clock, waitMs * (1 + random / 512), leaving.signal)
      waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS)
    }
  }
  const lived = live()

  async function asked(subject: string, text: string, withinMs: number): Promise<Msg> {
    if (!connection) throw new Unanswered(trouble || 'there is no connection yet')
    try {
      return await connection.request(subject, text, { timeout: withinMs })
    } catch (cause) {
      throw new Unanswered(messageOf(cause), { cause })
    }
  }

  return {
    get state() {
      return connection ? 'connected' : 'away'
    },
    get trouble() {
      return trouble
    },
    onState(listen) {
      listeners.add(listen)
      return () => void listeners.delete(listen)
    },
    ask: async (subject, text, withinMs) => (await asked(subject, text, withinMs)).string(),
    async askForData(subject, text, withinMs) {
      const message = await asked(subject, text, withinMs)
      const said = message.headers?.get(TEXT)
      if (!said) return { text: message.string() }
      const { buffer, byteOffset, byteLength } = message.data
      return { text: said, data: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength) }
    },
    tell(subject, text) {
      if (connection && !connection.isClosed()) connection.publish(subject, text)
    },
    hear(pattern, listen) {
      const one: Listening = { pattern, listen }
      hearing.add(one)
      if (connection && makeHeaders) subscribe(connection, one, makeHeaders)
      return () => {
        hearing.delete(one)
        one.subscription?.unsubscribe()
      }
    },
    async close() {
      leaving.abort()
      listeners.clear()
      hearing.clear()
      // Answers of a moment ago are still delivered; a frozen server does not keep this process.
      if (connection) await Promise.race([connection.drain().catch(() => {}), pause(clock, FIRST_WAIT_MS)])
      await connection?.close().catch(() => {})
      await Promise.race([lived, pause(clock, FIRST_WAIT_MS)])
    }
  }
}

function connectionOptions(
  { name, inbox }: Connecting,
  { servers, user, password, seed, tls }: NatsServers,
  { nkeyAuthenticator }: Pick<typeof import('@nats-io/transport-node'), 'nkeyAuthenticator'>
): ConnectionOptions {
  return {
    servers: [...servers],
    name,
    inboxPrefix: inbox,
    reconnect: false, // `live` does that, in one way for the first connection and for later ones
    ignoreClusterUpdates: true,
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    noAsyncTraces: true,
    // The key signs what the server says; the secret stays here.
    ...(seed === undefined ? {} : { authenticator: nkeyAuthenticator(Buffer.from(seed, 'latin1')) }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { pass: password }),
    ...(tls ? { tls: tlsOptions(tls, servers) } : {})
  }
}

/** What Node says of a certificate for another name. */
const OTHER_NAME = /(?:Host: (\S+?)\.?|IP: (\S+)) is not (?:in the cert's (?:altnames|list)|cert's CN): (.*)/

/** For the people who have to do something about it. */
function troubleOf(error: unknown, { tls, seed, user }: Pick<NatsServers, 'tls' | 'seed' | 'user'>): string {
  const isTls = tls !== undefined
  const said = [messageOf(error), error instanceof Error && error.cause ? messageOf(error.cause) : '']
    .filter((text) => text !== '')
    .join(': ')
  if (/authorization violation|authentication/i.test(said))
    return seed === undefined
      ? `it refuses the credential: peer.token must be the same on both sides${user === 'engine' ? '' : ', or the worker needs a key (troupe worker enroll)'}`
      : 'it refuses the key of worker.keyFile: it was revoked, replaced by a later one, or is for another coordinator'
  if (/refused/i.test(said)) return 'nothing listens there'
  if (/ENOTFOUND|EAI_AGAIN/.test(said)) return 'no machine of this name is known here'
  if (/^timeout$/i.test(said))
    return `no answer within ${CONNECT_MS / 1_000} s: something in between drops it, or what listens there is no message bus`
  if (WRONG_FILE.test(messageOf(error))) return messageOf(error)
  const [, host, address, names] = OTHER_NAME.exec(said) ?? []
  if (names !== undefined)
    return `TLS: its certificate is not for ${host ?? address} but for ${names}: reach it by such a name, or give it a certificate for this one`
  if (/tls|certificate|self.signed|ssl/i.test(said))
    return `TLS: ${said} (peer.clientCaFile names the authority of its certificate)`
  if (isTls && /ECONNRESET|socket hang up|closed/i.test(said))
    return `TLS: it closes the connection (${said}): it may want a certificate of its authority (peer.certFile, peer.keyFile)`
  return said
}
