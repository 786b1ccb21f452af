/**
 * Tells an inspector of what happens: each transition as records of the protocol that `@statelyai/inspect` speaks, to the WebSocket
 * that the user names. Whoever does not listen, or listens too slowly, costs the engine nothing but the records that are dropped.
 * Source: docs/inspect.md.
 */
import { WebSocket } from 'undici'
import type { JournalRecord } from '../../machines/vocabulary.ts'
import { TroupeError } from '../errors.ts'
import { nothingYet, type RunState, take } from './replay.ts'
import { inspectionRecords, isEnd } from './stately.ts'

export interface Adapter {
  /** Tells of a transition. */
  tell(record: JournalRecord): void
  close(): void
}

/** Records that wait for a connection, at most; and bytes on their way to one. */
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

/** @throws TroupeError bad_request: the address is none of a WebSocket */
export function openAdapter({ to, after, warn }: AdapterOptions): Adapter {
  const address = URL.canParse(to) ? new URL(to) : undefined
  if (!address || !/^wss?:$/.test(address.protocol))
    throw new TroupeError('bad_request', 'inspect.to: wanted the address of a WebSocket, such as ws://127.0.0.1:8080')
  /** What the inspector is told of an actor holds its whole memory: that is read back from the records. */
  const states = new Map<string, RunState>()
  const introduced = new Set<string>()
  let waiting: string[] = []
  let isClosed = false
  let callOff = () => {}
  let socket = connect()

  function connect(): WebSocket {
    const opened = new WebSocket(to)
    opened.addEventListener('open', () => {
      for (const text of waiting.splice(0)) opened.send(text)
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
      const { run } = record
      const id = run ? `${run.name}/${run.dagRunId}` : ''
      const state = states.get(id) ?? nothingYet()
      states.set(id, state)
      take(state, record)
      const memory = state.actors.get(record.actor)?.memory ?? {}
      const texts = inspectionRecords(record, memory, introduced).map((said) => JSON.stringify(said))
      if (record.actor === `run/${id}` && isEnd(record.status)) {
        states.delete(id)
        for (const address of [...introduced]) if (address.startsWith(record.actor)) introduced.delete(address)
      }
      if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < MOST_BUFFERED_BYTES)
        for (const text of texts) socket.send(text)
      else waiting = [...waiting, ...texts].slice(-MOST_WAITING)
    },
    close() {
      isClosed = true
      callOff()
      socket.close()
    }
  }
}
