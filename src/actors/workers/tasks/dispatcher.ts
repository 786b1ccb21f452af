/**
 * The tasks that this engine has asked of workers and that have not ended. A task is offered until its worker has it on record; what
 * the worker says of it reaches whoever waits for it. Decides nothing. Source: distribution 3, D3, D9, D12, D13.
 */
import { type Bus, Unanswered } from '../../../bus/bus.ts'
import type { Subjects } from '../../../bus/messages.ts'
import { Unreadable } from '../../../bus/readers.ts'
import {
  ANSWER_MS,
  eventIn,
  heldIn,
  INLINE_BYTES,
  type Offer,
  type Order,
  PART_BYTES,
  type Progress,
  type Reply,
  replyIn,
  type TaskEvent,
  wantedIn,
  writtenTask
} from '../../../bus/tasks.ts'
import { type Clock, pause } from '../../../clock.ts'
import type { EngineIdentity } from '../../../store/tables/workers.ts'
import type { Task, TaskRequest, Waiting } from './asked-task.ts'
import type { GivenUpTask } from './given-up.ts'

export interface Dispatcher {
  begin(request: TaskRequest, waiting: Waiting): Task
  /** Says once that nothing more comes of a run. */
  forget(home: string, run: string): void
  /** A message of a worker that concerns a task. */
  hear(said: { home: string; kind: string; text: string; answer(text: string): void }): void
  progress(home: string, tasks: readonly Progress[]): void
  close(): void
}

export interface DispatcherParts {
  bus: Bus
  clock: Clock
  subjects: Subjects
  engine: EngineIdentity
  /** Runs that were placed on a worker and are open, each as `<run>-<lease>`. */
  openRuns(home: string): ReadonlySet<string>
  /** Executions of open runs that an engine before this one has given up, and of which no end was heard. Absent: none. */
  givenUp?(): readonly GivenUpTask[]
  /** Whether every run that was open before a restart is open again: until then nobody may say that a task is unknown. */
  isComplete(): boolean
  /** The latest heartbeat of a worker; undefined: none was heard. */
  heartbeatOf(home: string): Offer['beat']
  /** Several offers to a worker went unanswered, one after the other. */
  deaf(home: string): void
  /** An execution has ended that nobody waits for. Resolves when it need not be said again. Absent: it need not. */
  late?(home: string, event: TaskEvent): Promise<void>
}

/** Unanswered offers, one after the other, after which a worker is taken for deaf. */
const MANY_UNANSWERED = 3
const LONGEST_WAIT_MS = 15_000
/** Between looks whether all runs are open again. */
const LOOK_MS = 500
/** Refusals that pass. */
const PASSING: ReadonlySet<string> = new Set(['full', 'disk', 'late'])

interface Known extends Waiting {
  request: TaskRequest
  job: Buffer
  isClaimed: boolean
  /** Answers the latest message about its end. */
  answer: (text: string) => void
  leaving: AbortController
}

export function openDispatcher(parts: DispatcherParts): Dispatcher {
  const { bus, clock, subjects, engine, isComplete, openRuns, givenUp, heartbeatOf, deaf, late } = parts
  const tasks = new Map<string, Known>()
  const closing = new AbortController()
  const idOf = (task: string, lease: number) => `${task}-${lease}`

  /** Aborts when the bus is connected again: whoever waits to ask does so at once. */
  let back = new AbortController()
  const unstate = bus.onState((state) => {
    if (state !== 'connected') return
    back.abort()
    back = new AbortController()
  })

  const ask = async (home: string, order: Order): Promise<Reply> =>
    replyIn(await bus.ask(subjects.down(home), writtenTask(order), ANSWER_MS))

  /** Asks until there is an answer; with growing pauses, or as soon as the bus is back. @returns undefined: it was left */
  async function insist(
    home: string,
    wanted: () => Order,
    leaving: AbortSignal,
    postponed?: Waiting['postponed']
  ): Promise<Reply | undefined> {
    let reason = ''
    for (let waitMs = ANSWER_MS; !leaving.aborted; waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS)) {
      const from = clock.elapsed()
      try {
        const reply = await ask(home, wanted())
        unanswered.delete(home)
        if (reply.kind !== 'refused' || !PASSING.has(reply.why)) return reply
        if (reply.text !== reason && !leaving.aborted) postponed?.(reply)
        reason = reply.text
      } catch (error) {
        if (!(error instanceof Unanswered || error instanceof Unreadable)) throw error
        noteUnanswered(home)
      }
      const [random = 0] = clock.random(1)
      const leftMs = waitMs * (1 + random / 1_024) - (clock.elapsed() - from)
      await pause(clock, Math.max(0, leftMs), AbortSignal.any([leaving, back.signal]))
    }
    return undefined
  }

  /** In a row. */
  const unanswered = new Map<string, number>()
  function noteUnanswered(home: string): void {
    const count = (unanswered.get(home) ?? 0) + 1
    unanswered.set(home, count)
    if (count < MANY_UNANSWERED || bus.state !== 'connected') return
    unanswered.delete(home)
    deaf(home)
  }

  async function offer(one: Known): Promise<void> {
    const { request, job, leaving } = one
    const { placement, task, what, run, name, again = {}, unfenced } = request
    const inline = job.length <= INLINE_BYTES ? { job: job.toString('utf8') } : {}
    const made: Order = {
      kind: 'offer',
      task,
      lease: placement.lease,
      engine: engine.id,
      epoch: engine.epoch,
      what,
      run,
      name,
      ...inline,
      jobBytes: job.length,
      ...(unfenced ? { unfenced } : {}),
      ...again
    }
    const offered = (): Order => {
      const beat = heartbeatOf(placement.home)
      return beat ? { ...made, beat } : made
    }
    const reply = await insist(placement.home, offered, leaving.signal, one.postponed)
    if (reply?.kind === 'claimed') claim(one)
    else if (reply?.kind === 'refused') one.refused(reply)
    else if (reply) one.refused({ kind: 'refused', why: 'message', text: `its answer to an offer was ${reply.kind}` })
  }
  function claim(one: Known): void {
    if (one.isClaimed) return
    one.isClaimed = true
    one.claimed()
  }

  /** A worker speaks of its own tasks only. */
  const found = (home: string, { task, lease }: { task: string; lease: number }): Known | undefined => {
    const one = tasks.get(idOf(task, lease))
    return one?.request.placement.home === home ? one : undefined
  }
  function heardEvent(home: string, text: string, answer: (text: string) => void): void {
    const event = eventIn(text)
    if (event.engine !== engine.id) return // another one calls the same cluster its own
    const one = found(home, event)
    if (!one) {
      const isUnknown = () => answer(writtenTask({ kind: 'unknown' }))
      if (!isComplete()) return
      if (event.what === 'ended' && late)
        void late(home, event).then(isUnknown, () => {}) // it is said again
      else isUnknown()
      return
    }
    claim(one)
    if (event.what === 'ended') one.answer = answer
    else answer(writtenTask({ kind: 'acked' }))
    one.heard(event)
  }
  function heardWanted(home: string, text: string, answer: (text: string) => void): void {
    const wanted = wantedIn(text)
    if (wanted.engine !== engine.id) return
    const one = found(home, wanted)
    if (one) {
      const data = one.job.subarray(wanted.from, wanted.from + PART_BYTES)
      answer(writtenTask({ kind: 'part', size: one.job.length, data }))
    } else if (isComplete()) answer(writtenTask({ kind: 'unknown' }))
  }

  /** A worker that was away may have something of runs that have ended meanwhile. */
  function heardRuns(home: string, text: string, answer: (text: string) => void): void {
    const held = heldIn(text)
    if (held.engine !== engine.id || !isComplete()) return
    const open = openRuns(home)
    answer(writtenTask({ kind: 'over', runs: held.runs.filter(({ run, lease }) => !open.has(`${run}-${lease}`)) }))
  }
  /** Asks a worker to end what nobody waits for any more, until it answers. */
  function end({ home, task, lease }: GivenUpTask): void {
    const order: Order = { kind: 'stop', task, lease, signal: 'SIGKILL', kill: true, force: true }
    void insist(home, () => order, closing.signal)
  }
  // D1427: an engine that opens its runs again ends what the one before it had given up
  function endLeft(): void {
    if (closing.signal.aborted) return
    if (isComplete()) for (const task of givenUp?.() ?? []) end(task)
    else clock.after(LOOK_MS, endLeft)
  }
  clock.soon(endLeft)

  return {
    begin(request, waiting) {
      const { home, lease } = request.placement
      const { task } = request
      const leaving = new AbortController()
      let stopping = new AbortController()
      const job = Buffer.from(JSON.stringify(request.job))
      const one: Known = { ...waiting, request, job, isClaimed: false, answer: () => {}, leaving }
      const id = idOf(task, lease)
      tasks.set(id, one)
      void offer(one)
      const leave = () => {
        leaving.abort()
        if (tasks.get(id) === one) tasks.delete(id)
      }
      return {
        stop(signal, kill) {
          stopping.abort() // a later one says more
          stopping = new AbortController()
          const how = {
            ...(kill ? { kill: true as const } : {}),
            ...(kill === 'force' ? { force: true as const } : {})
          }
          const until = AbortSignal.any([leaving.signal, stopping.signal])
          void insist(home, () => ({ kind: 'stop', task, lease, signal, ...how }), until)
        },
        async read(stream, from) {
          const order = writtenTask({ kind: 'read', task, lease, stream, from, max: PART_BYTES, binary: true })
          const { text, data } = await bus.askForData(subjects.down(home), order, ANSWER_MS)
          const reply = replyIn(text, data)
          if (reply.kind === 'part') return reply
          throw new Unreadable(`wanted a part of ${stream}, found ${reply.kind}`)
        },
        settled() {
          one.answer(writtenTask({ kind: 'acked' }))
          leave()
        },
        leave,
        giveUp() {
          leave()
          end({ home, task, lease })
        }
      }
    },
    forget(home, run) {
      void ask(home, { kind: 'forget', tasks: [], runs: [run] }).catch(() => {}) // its spool says its ends again otherwise
    },
    hear({ home, kind, text, answer }) {
      try {
        if (kind === 'event') heardEvent(home, text, answer)
        else if (kind === 'runs') heardRuns(home, text, answer)
        else heardWanted(home, text, answer)
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error // whoever says that harms nobody
      }
    },
    progress(home, grown) {
      for (const progress of grown) found(home, progress)?.grown(progress)
    },
    close() {
      closing.abort()
      unstate()
      for (const { leaving } of tasks.values()) leaving.abort()
      tasks.clear()
    }
  }
}
