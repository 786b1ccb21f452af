/**
 * Reports each transition to an inspector, as records of the protocol of `@statelyai/inspect`, over a configured WebSocket. For an
 * absent or slow inspector records are dropped; the engine never waits.
 * Source: docs/inspect.md.
 */
import { WebSocket } from 'undici'
import type { JournalRecord } from '../../machines/vocabulary.ts'
import { TroupeError } from '../errors.ts'
import { nothingYet, type ReplayedRun, take } from './replay.ts'
import { inspectionRecords, isFinal } from './stately.ts'

/** State of a run that is reported. */
interface Followed {
  state: ReplayedRun
  /** The actor of each transition by `seq`: the sender of the events that it caused. */
  actors: Map<number, string>
}

/** Maximum of transitions that wait for a connection, and of buffered bytes. */
const MOST_WAITING = 1_000
const MOST_BUFFERED_BYTES = 4 * 1024 * 1024
const AGAIN_MS = 1_000

export interface AdapterOptions {
  /** `ws:` or `wss:`. */
  to: string
  /** Calls back after so many ms; returns a function that cancels it. */
  after(ms: number, again: () => void): () => void
  /** Called once for each connection that failed or broke. */
  warn(message: string): void
}

// D909: an inspector sees `active` until the chart is in a final state
/** @throws TroupeError bad_request: not the address of a WebSocket */
export function openAdapter({ to, after, warn }: AdapterOptions) {
  const address = URL.canParse(to) ? new URL(to) : undefined
  if (!address || !/^wss?:$/.test(address.protocol))
    throw new TroupeError('bad_request', 'inspect.to: wanted the address of a WebSocket, such as ws://127.0.0.1:8080')
  /** A snapshot for the inspector has the whole context, which is restored from the records. */
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
    /** Reports a transition. */
    tell(record: JournalRecord) {
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

  /** Forgets an actor, whose next transition introduces it again: the inspector may be a new one. */
  function drop(actor: string): void {
    introduced.delete(actor)
  }
}
