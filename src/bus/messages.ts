/**
 * What is said on the bus: subjects, members, sizes. Each message is JSON with its `kind` and `v`; unknown members are ignored, unknown
 * kinds refused. Times never travel: each side has a clock of its own. Source: distribution 3.
 */
import { bodyIn, jsonIn } from './envelope.ts'
import { integer, list, map, object, oneOf, optional, percent, text, wrong } from './readers.ts'
import { MOST_TASKS, progress } from './tasks.ts'

/** Versions of the protocol that this release speaks, both ends included. */
export const PROTOCOL = { min: 1, max: 1 }
/** Between two heartbeats. */
export const BEAT_MS = 1_000

const LARGEST = Number.MAX_SAFE_INTEGER
const HOME = /^[0-9a-f]{16}$/

/** Id of a home folder, in which a worker lives. */
const isHome = (home: string): boolean => HOME.test(home)

/** Of one cluster, whose name is a word. */
export function subjectsOf(cluster: string) {
  const root = `trp.${cluster}`
  return {
    /** What a worker says to the engine. */
    up: (home: string, kind: 'hello' | 'beat' | 'event' | 'job' | 'runs') => `${root}.up.${home}.${kind}`,
    /** All of them, for the engine. */
    everyUp: `${root}.up.*.*`,
    /** Whose word a subject is, and of which kind; undefined: neither. */
    read(subject: string): { home: string; kind: string } | undefined {
      const [home = '', kind = '', ...rest] = subject.startsWith(`${root}.up.`)
        ? subject.slice(root.length + 4).split('.')
        : []
      return isHome(home) && rest.length === 0 ? { home, kind } : undefined
    },
    /** What the engine says to one worker. */
    down: (home: string) => `${root}.down.${home}`,
    /** The engine tells everybody that it is there. */
    engine: `${root}.engine`,
    /** Where answers arrive. */
    inbox: (who: string) => `${root}.inbox.${who}`,
    /** What a worker may say and hear. */
    ofWorkers: { says: [`${root}.up.>`], hears: [`${root}.engine`, `${root}.down.>`, `${root}.inbox.>`] },
    /** The same for one of them. */
    ofWorker: (home: string) => ({
      says: [`${root}.up.${home}.>`],
      hears: [`${root}.engine`, `${root}.down.${home}`, `${root}.down.${home}.>`, `${root}.inbox.${home}.>`]
    }),
    all: `${root}.>`
  }
}
export type Subjects = ReturnType<typeof subjectsOf>

/** Absent: it is not so. */
const truth = oneOf([true])
const load = object({ cpu: optional(percent), mem: optional(percent), disk: optional(percent) })
const label = text(200)
const self = {
  id: label,
  home: text(16),
  /** Its process: a number that grows from start to start of its home, and some chance, such as `17-9f3c`. */
  session: text(64),
  labels: map(label, label, 100),
  slots: integer(1, 1_000_000),
  version: text(100),
  host: text(255, 0),
  pid: integer(1, LARGEST),
  executors: list(text(100), 200),
  /** It has a fence: what it has at work ends by itself when it hears nothing of its engine for long. */
  fences: optional(truth),
  /** It was sent a signal, and leaves once it has no run. */
  draining: optional(truth)
}
const helloMembers = object({ v: integer(1, LARGEST), minV: integer(1, LARGEST), ...self })
/** What every version of the protocol has. */
const anyHello = object({ v: integer(1, LARGEST), minV: integer(1, LARGEST), id: label, home: self.home })

export type Hello = ReturnType<typeof helloMembers>

/** From a worker: who it is. A hello of another version is read as far as every version has it. @throws Unreadable */
export function helloIn(message: string): Hello {
  const value = bodyIn(message, 'hello')
  const known = anyHello(value, 'hello')
  if (known.minV > known.v) wrong('hello.minV', `at most ${known.v}`, known.minV)
  if (known.v >= PROTOCOL.min && known.minV <= PROTOCOL.max) return helloMembers(value, 'hello')
  const unknown = { session: '', labels: {}, slots: 1, version: '', host: '', pid: 1, executors: [] }
  return { ...unknown, ...known }
}

const beatMembers = object({
  session: text(64),
  n: integer(1, LARGEST),
  load,
  /** Tasks at work whose logs have grown. */
  tasks: optional(list(progress, MOST_TASKS)),
  draining: optional(truth),
  /** Its time to drain is over: the runs that it has should be stopped. */
  late: optional(truth),
  /** Why it takes no further run, such as a full disk; absent: it takes some. */
  trouble: optional(text(300))
})
export type Beat = ReturnType<typeof beatMembers>
/** From a worker, each second. @throws Unreadable */
export const beatIn = (message: string): Beat => beatMembers(bodyIn(message, 'beat'), 'beat')

const welcome = object({
  epoch: integer(1, LARGEST),
  engine: text(64),
  beatMs: integer(100, 60_000),
  lostMs: integer(1_000, LARGEST),
  /** Silence after which what it has at work must have ended; absent: the engine is of an earlier release. */
  fenceMs: optional(integer(1_000, LARGEST))
})
const refused = object({ why: text(20), text: text(1_000) })
const heard = object({
  n: integer(1, LARGEST),
  epoch: integer(1, LARGEST),
  /** It shall drain, in that time; absent: it shall take runs. */
  drain: optional(object({ timeoutMs: optional(integer(0, LARGEST)) })),
  /** It drains, no run is placed on it, and none will be: it may leave. */
  free: optional(truth)
})
const beacon = object({ engine: text(64), epoch: integer(1, LARGEST), version: text(100) })

/** From an engine. `greet` asks for a hello. `replaced`: another process of the same home has said hello since. */
export type Answer =
  | ({ kind: 'welcome' } & ReturnType<typeof welcome>)
  | { kind: 'refused'; why: string; text: string }
  | ({ kind: 'heard' } & ReturnType<typeof heard>)
  | { kind: 'greet' }
export type Beacon = ReturnType<typeof beacon>

/** @throws Unreadable */
export function answerIn(message: string): Answer {
  const value = jsonIn(message, 'answer')
  switch (value.kind) {
    case 'welcome':
      return { kind: 'welcome', ...welcome(value, 'welcome') }
    case 'refused':
      return { kind: 'refused', ...refused(value, 'refused') }
    case 'heard':
      return { kind: 'heard', ...heard(value, 'heard') }
    case 'greet':
      return { kind: 'greet' }
    default:
      return wrong('answer.kind', 'welcome, refused, heard or greet', value.kind)
  }
}
/** @throws Unreadable */
export const beaconIn = (message: string): Beacon => beacon(bodyIn(message, 'engine'), 'engine')

export type Said = ({ kind: 'hello' } & Hello) | ({ kind: 'beat' } & Beat) | ({ kind: 'engine' } & Beacon) | Answer

/** A hello has the highest version of its sender for its own. */
export const written = (said: Said): string => JSON.stringify({ v: PROTOCOL.max, ...said })
