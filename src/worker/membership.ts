/**
 * How a worker takes part: it says hello until an engine welcomes it, and sends a heartbeat each second from then on. It never gives
 * up, except when another process has taken its place. Source: distribution 3, 4.
 */
import { type Bus, Unanswered } from '../bus/bus.ts'
import {
  type Answer,
  answerIn,
  BEAT_MS,
  type Beacon,
  beaconIn,
  type Hello,
  subjectsOf,
  written
} from '../bus/messages.ts'
import { Unreadable } from '../bus/readers.ts'
import type { Progress } from '../bus/tasks.ts'
import type { Clock } from '../clock.ts'
import type { Contact } from './contact.ts'
import type { Draining } from './draining.ts'
import type { Load } from './load.ts'

export interface MembershipParts {
  bus: Bus
  clock: Pick<Clock, 'after' | 'elapsed'>
  /** The addresses of the bus, for people. */
  where(): string
  /** First word of the subjects. */
  cluster: string
  self: Hello
  load(): Load
  /** Tasks whose logs have grown since the last heartbeat. */
  progress(): Progress[]
  draining: Pick<Draining, 'says' | 'heard'>
  /** Why the worker takes no further run; undefined: it takes some. */
  trouble(): string | undefined
  /** Notes when the engine was heard. */
  contact: Pick<Contact, 'sent' | 'answered'>
  /** Listens anew: the engine is heard, and says that it is not. */
  listenAnew(): void
  /** For the people who look after it; called with something new only. */
  say(level: 'info' | 'warn', text: string): void
  /** The worker should leave: another process has taken its place. */
  leave(reason: string): void
}

export interface EngineStart {
  id: string
  epoch: number
}

const ANSWER_MS = 2_000
/** Between two hellos without a welcome. An engine that makes itself heard meanwhile is greeted at once. */
const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 15_000
/** Heartbeats without an answer that are worth a word. */
const MANY_UNANSWERED = 5

type Of<K extends Answer['kind']> = Extract<Answer, { kind: K }>

export function openMembership(parts: MembershipParts) {
  const { bus, clock, where, cluster, self, load, progress, draining, trouble, contact, listenAnew, say, leave } = parts
  const subjects = subjectsOf(cluster)
  let engine: EngineStart | undefined
  /** The latest that has welcomed it: an earlier start of the same engine is not obeyed. */
  let known: EngineStart | undefined
  /** The engine that was heard last. */
  let heard: EngineStart | undefined
  let heartbeats = 0
  let unanswered = 0
  let isAsking = false
  let isRefused = false
  let waitMs = FIRST_WAIT_MS
  let helloAt = clock.elapsed()
  /** As the engine says. */
  let fenceMs: number | undefined
  let isClosed = false
  let cancel = () => {}

  function tick(): void {
    cancel = clock.after(BEAT_MS, tick)
    if (bus.state === 'connected') takePart()
    else sayAway()
    if (bus.state !== 'connected' || !engine) draining.heard(undefined)
  }
  function sayAway(): void {
    if (bus.trouble !== '') say('warn', `not connected to the message bus at ${where()}: ${bus.trouble}`)
  }
  function takePart(): void {
    if (engine) void sendHeartbeat()
    else if (!isAsking && clock.elapsed() >= helloAt) void sayHello()
  }

  /** Undefined: nobody has answered, or it is closed by now. */
  async function ask(kind: 'hello' | 'beat', text: string): Promise<Answer | undefined> {
    try {
      const answer = answerIn(await bus.ask(subjects.up(self.home, kind), text, ANSWER_MS))
      return isClosed ? undefined : answer
    } catch (error) {
      if (error instanceof Unanswered || error instanceof Unreadable) return undefined
      throw error
    }
  }

  async function sayHello(): Promise<void> {
    isAsking = true
    const { draining: isDraining } = draining.says()
    const said = { ...self, ...(isDraining ? { draining: isDraining } : {}) }
    contact.sent('hello')
    const answer = await ask('hello', written({ kind: 'hello', ...said }))
    isAsking = false
    if (answer?.kind === 'welcome') welcomed(answer)
    else if (answer?.kind === 'refused') refused(answer)
    else if (!isClosed) {
      askLater()
      if (bus.state === 'connected')
        say('warn', `no engine of the cluster ${cluster} answers: the worker waits for one`)
    }
  }
  function askLater(): void {
    helloAt = clock.elapsed() + waitMs
    waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS)
  }
  function welcomed({ engine: id, epoch, fenceMs: afterMs }: Of<'welcome'>): void {
    if (known?.id === id && epoch < known.epoch) return // late: that engine was restarted since
    fenceMs = afterMs
    contact.answered('hello', fenceMs)
    known = { id, epoch }
    engine = known
    isRefused = false
    unanswered = 0
    waitMs = FIRST_WAIT_MS
    say('info', `serving the engine ${id}`)
  }
  function refused({ why, text }: Of<'refused'>): void {
    engine = undefined
    if (why === 'replaced') {
      leave(text)
      return
    }
    isRefused = true
    askLater()
    say('warn', `refused by the engine, and asking again: ${text}`)
  }

  async function sendHeartbeat(): Promise<void> {
    const tasks = progress()
    const why = trouble()
    if (why !== undefined) say('warn', `no further run is taken: ${why}`)
    const said = {
      ...(why === undefined ? {} : { trouble: why }),
      session: self.session,
      n: ++heartbeats,
      load: load(),
      ...draining.says(),
      ...(tasks.length > 0 ? { tasks } : {})
    }
    const { n } = said
    contact.sent(n)
    const answer = await ask('beat', written({ kind: 'beat', ...said }))
    if (isClosed || !engine) return
    if (!answer) {
      unanswered++
      draining.heard(undefined)
      if (unanswered >= MANY_UNANSWERED && bus.state === 'connected')
        say('warn', 'the engine answers no heartbeat: it may be down')
      return
    }
    unanswered = 0
    if (answer.kind === 'refused') refused(answer)
    else if (answer.kind === 'greet' || (answer.kind === 'heard' && answer.epoch > engine.epoch)) {
      if (answer.kind === 'greet') listenAnew()
      greet()
    } else {
      if (why === undefined) say('info', `serving the engine ${engine.id}`)
      if (answer.kind !== 'heard') return
      contact.answered(n, fenceMs)
      draining.heard(answer)
    }
  }

  /** Says hello at once. */
  function greet(): void {
    engine = undefined
    isRefused = false
    waitMs = FIRST_WAIT_MS
    helloAt = clock.elapsed()
    takePart()
  }

  const unhear = bus.hear(subjects.engine, ({ text }) => {
    const found = beaconOf(text)
    if (!found) return
    const isOther = heard?.id !== found.engine || heard.epoch !== found.epoch
    heard = { id: found.engine, epoch: found.epoch }
    // An engine that has refused the worker may say so once more, when it is time. Beside the engine that it serves no other counts.
    if (engine ? engine.id === found.engine && found.epoch > engine.epoch : isOther || !isRefused) greet()
  })
  const unstate = bus.onState((state) => {
    if (state === 'away') return sayAway()
    say('info', `connected to the message bus at ${where()}`)
    takePart()
  })
  tick()

  return {
    /** The start of an engine that has welcomed it; undefined: it asks for a welcome. */
    engine: (): EngineStart | undefined => engine,
    /** Says at once what its next heartbeat would say. */
    hurry() {
      if (bus.state === 'connected' && engine) void sendHeartbeat()
      else draining.heard(undefined)
    },
    close() {
      isClosed = true
      cancel()
      unhear()
      unstate()
    }
  }
}

/** Undefined: it was not said by an engine. */
function beaconOf(text: string): Beacon | undefined {
  try {
    return beaconIn(text)
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}
