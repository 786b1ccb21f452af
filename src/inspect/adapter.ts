/**
 * Tells an inspector of what happens: each transition as records of the protocol that `@statelyai/inspect` speaks, to the WebSocket
 * that the user names. Whoever does not listen, or listens too slowly, costs the engine nothing but the records that are dropped.
 * Source: docs/inspect.md.
 */
import { WebSocket } from 'undici'
import type { JournalRecord } from '../../machines/vocabulary.ts'
import { TroupeError } from '../errors.ts'
import { nothingYet, type RunState, take } from './replay.ts'
import { inspectionRecords, isFinal } from './stately.ts'

export interface Adapter {
  /** Tells of a transition. */
  tell(record: JournalRecord): void
  close(): void
}

/** What is kept of a run that is told of. */
interface Followed {
  state: RunState
  /** Who made each transition, by `seq`: an event is sent by whoever caused it. */
  actors: Map<number, string>
}

/** Transitions that wait for a connection, at most; and bytes on their way to one. */
const MOST_WAITING = 1_000
const MOST_BUFFERED_BYTES = 4 * 1024 * 1024
const AGAIN_MS = 1_000

export interface AdapterOptions {
  /** `ws:` or `wss:`. */
  to: string
  /** Calls back after so many ms; returns the way to call that off. */
  after(ms: number, again: () => void): () => void
  /** Told once of each connection that could not be made or broke. */
  warn(message: string): void
}

// D909
/** @throws TroupeError bad_request: the address is none of a WebSocket */
export function openAdapter({ to, after, warn }: AdapterOptions): Adapter {
  const address = URL.canParse(to) ? new URL(to) : undefined
  if (!address || !/^wss?:$/.test(address.protocol))
    throw new TroupeError('bad_request', 'inspect.to: wanted the address of a WebSocket, such as ws://127.0.0.1:8080')
  /** What the inspector is told of an actor holds its whole memory: that is read back from the records. */
  const runs = new Map<string, Followed>()
  const introduced = new Set<string>()
  const waiting: { actor: string; texts: string[] }[] = []
  let isClosed = false
  let callOff = () => {}
  let socket = connect()

  function connect(): WebSocket {
    const opened = new WebSocket(to)
    opened.addEventListener('open', () => {
      for (const text of waiting.splice(0).flatMap(({ texts }) => texts)) opened.send(text)
    })
    // An error is followed by `close`.
    opened.addEventListener('error', () => {})
    opened.addEventListener('close', () => {
      if (isClosed) return
      warn(`the inspector at ${address?.host} is not there; it is looked for again`)
      introduced.clear() // the next one has heard of nobody
      callOff = after(AGAIN_MS, () => {
        socket = connect()
      })
    })
    return opened
  }

  return {
    tell(record) {
      if (isClosed) return
      const { run, actor, seq, cause } = record
      const id = run ? `${run.name}/${run.dagRunId}` : ''
      const followed = runs.get(id) ?? { state: nothingYet(), actors: new Map() }
      runs.set(id, followed)
      take(followed.state, record)
      followed.actors.set(seq, actor)
      const causer = cause === undefined ? undefined : followed.actors.get(cause)
      const sender = causer === actor ? undefined : causer
      const said = inspectionRecords(record, { state: followed.state, sender, introduced })
      const texts = said.map((one) => JSON.stringify(one))
      if (actor === `run/${id}` && (followed.state.parked || isFinal('run', record.to))) {
        runs.delete(id)
        for (const address of [...introduced])
          if (address === actor || address.startsWith(`${actor}/`)) introduced.delete(address)
      }
      if (socket.readyState !== WebSocket.OPEN) {
        waiting.push({ actor, texts })
        if (waiting.length > MOST_WAITING) drop(waiting.shift()?.actor ?? '')
      } else if (socket.bufferedAmount < MOST_BUFFERED_BYTES) for (const text of texts) socket.send(text)
      else drop(actor)
    },
    close() {
      isClosed = true
      callOff()
      socket.close()
    }
  }

  /** Its next transition introduces it: nobody may have heard of it. */
  function drop(actor: string): void {
    introduced.delete(actor)
  }
}
