/** An engine's end of a simulated bus: asks orders of one worker, and notes what the worker says. */
import { type Bus, Unanswered } from '../../../src/bus/bus.ts'
import { subjectsOf } from '../../../src/bus/messages.ts'
import {
  eventIn,
  INLINE_BYTES,
  type Offer,
  type Order,
  PART_BYTES,
  type Reply,
  replyIn,
  type TaskEvent,
  type Word,
  wantedIn,
  writtenTask
} from '../../../src/bus/tasks.ts'

export const HOME = 'a'.repeat(16)
export const CLUSTER = 't'
const subjects = subjectsOf(CLUSTER)

/** 32 hexadecimal digits. */
export const named = (number: number): string => number.toString(16).padStart(32, '0')

export interface EngineEnd {
  events: TaskEvent[]
  /** Jobs that do not fit into an offer, by task. */
  jobs: Map<string, string>
  /** What an event is answered with; undefined: nothing. */
  word(event: TaskEvent): Word | undefined
  ask(order: Order): Promise<Reply>
  /** Asks until there is an answer. */
  insist(order: Order): Promise<Reply>
  /** A text as it is. */
  say(text: string): Promise<Reply>
  told(what: TaskEvent['what'], task?: string): TaskEvent[]
}

export function engineEnd(bus: Bus): EngineEnd {
  const end: EngineEnd = {
    events: [],
    jobs: new Map(),
    word: () => ({ kind: 'acked' }),
    ask: (order) => end.say(writtenTask(order)),
    async insist(order) {
      for (;;)
        try {
          return await end.ask(order)
        } catch (error) {
          if (!(error instanceof Unanswered)) throw error
        }
    },
    say: async (text) => replyIn(await bus.ask(subjects.down(HOME), text, 2_000)),
    told: (wanted, which) => end.events.filter(({ what, task }) => what === wanted && (which ?? task) === task)
  }
  bus.hear(subjects.everyUp, ({ subject, text, answer }) => {
    if (subjects.read(subject)?.kind === 'event') {
      const event = eventIn(text)
      end.events.push(event)
      const word = end.word(event)
      if (word) answer(writtenTask(word))
    } else if (subjects.read(subject)?.kind === 'job') {
      const { task, from } = wantedIn(text)
      const job = Buffer.from(end.jobs.get(task) ?? '')
      answer(
        writtenTask(
          job.length > 0
            ? { kind: 'part', size: job.length, data: job.subarray(from, from + PART_BYTES) }
            : { kind: 'unknown' }
        )
      )
    }
  })
  return end
}

/** @param job goes with it when it is short */
export function offerOf(given: Partial<Offer>, job: object): Extract<Order, { kind: 'offer' }> {
  const text = JSON.stringify(job)
  const bytes = Buffer.byteLength(text)
  return {
    kind: 'offer',
    task: named(1),
    lease: 7,
    engine: 'e1',
    epoch: 3,
    what: 'step',
    run: named(100),
    name: 'run/a/r/node/a',
    ...(bytes <= INLINE_BYTES ? { job: text } : {}),
    jobBytes: bytes,
    ...given
  }
}
