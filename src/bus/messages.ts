/**
 * What is said on the bus: subjects, members, sizes. Each message is JSON with its `kind` and `v`; unknown members are ignored, unknown
 * kinds refused. Times never travel: each side has a clock of its own. Source: distribution 3.
 */
import { between, line, list, map, oneOf } from '../schema/limited.ts'
import { object, optional, type Shape } from '../schema/schema.ts'
import { bodyIn, bodyOf, messageOf, type SaidOf } from './envelope.ts'
import { reader, wrong } from './readers.ts'
import { MOST_TASKS, progress } from './tasks.ts'

/** Versions of the protocol that this release speaks, both ends included. */
export const PROTOCOL = { min: 1, max: 1 }
/** Between two heartbeats. */
export const BEAT_MS = 1_000

const LARGEST = Number.MAX_SAFE_INTEGER
const HOME = /^[0-9a-f]{16}$/

/** Id of a home folder, in which a worker lives. */
const isHome = (home: string): boolean => HOME.test(home)

/** Subjects of one cluster, whose name is a word. */
export function subjectsOf(cluster: string) {
  const root = `trp.${cluster}`
  return {
    /** What a worker says to the engine. */
    up: (home: string, kind: 'hello' | 'beat' | 'event' | 'job' | 'runs') => `${root}.up.${home}.${kind}`,
    /** Messages of all workers, for the engine. */
    everyUp: `${root}.up.*.*`,
    /** The worker whose word a subject is, and the kind of it; undefined: neither. */
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
    /** What one of them may say and hear. */
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
const percent = between(0, 100, 'number')
const load = object({ cpu: optional(percent), mem: optional(percent), disk: optional(percent) })
const label = line(200)
const self = {
  id: label,
  home: line(16),
  /** Process of the worker: a number that grows from start to start of its home, and some chance, such as `17-9f3c`. */
  session: line(64),
  labels: map(label, label, 100),
  slots: between(1, 1_000_000),
  version: line(100),
  host: line(255, 0),
  pid: between(1, LARGEST),
  executors: list(line(100), 200),
  /** The worker has a fence: its work ends by itself when it hears nothing of its engine for long. */
  fences: optional(truth),
  /** The worker was sent a signal, and leaves once it has no run. */
  draining: optional(truth)
}
const versions = { v: between(1, LARGEST), minV: between(1, LARGEST) }
const wholeHello = reader('hello', object({ ...versions, ...self }))
/** What every version of the protocol has. */
const anyHello = reader('hello', object({ ...versions, id: label, home: self.home }))

export type Hello = ReturnType<typeof wholeHello>

/** From a worker: who it is. A hello of another version is read as far as every version has it. @throws Unreadable */
export function helloIn(message: string): Hello {
  const value = bodyIn(message, 'hello')
  const known = anyHello(value)
  if (known.minV > known.v) wrong('hello.minV', `at most ${known.v}`, known.minV)
  if (known.v >= PROTOCOL.min && known.minV <= PROTOCOL.max) return wholeHello(value)
  const unknown = { session: '', labels: {}, slots: 1, version: '', host: '', pid: 1, executors: [] }
  return { ...unknown, ...known }
}

const beat = object({
  session: line(64),
  n: between(1, LARGEST),
  load,
  /** Tasks at work whose logs have grown. */
  tasks: optional(list(progress, MOST_TASKS)),
  draining: optional(truth),
  /** The time to drain is over: the runs of the worker should be stopped. */
  late: optional(truth),
  /** Why the worker takes no further run, such as a full disk; absent: it takes some. */
  trouble: optional(line(300))
})
export type Beat = Shape<typeof beat>
/** From a worker, each second. @throws Unreadable */
export const beatIn = bodyOf('beat', beat)

/** From an engine. `greet` asks for a hello. */
const answers = {
  welcome: object({
    epoch: between(1, LARGEST),
    engine: line(64),
    beatMs: between(100, 60_000),
    lostMs: between(1_000, LARGEST),
    /** Silence after which what it has at work must have ended; absent: the engine is of an earlier release. */
    fenceMs: optional(between(1_000, LARGEST))
  }),
  /** `replaced`: another process of the same home has said hello since. */
  refused: object({ why: line(20), text: line(1_000) }),
  heard: object({
    n: between(1, LARGEST),
    epoch: between(1, LARGEST),
    /** The worker shall drain, in that time; absent: it shall take runs. */
    drain: optional(object({ timeoutMs: optional(between(0, LARGEST)) })),
    /** The worker drains, no run is placed on it, and none will be: it may leave. */
    free: optional(truth)
  }),
  greet: object({})
}
export type Answer = SaidOf<typeof answers>
/** @throws Unreadable */
export const answerIn = messageOf('answer', answers)
/** @throws Unreadable */
export const beaconIn = bodyOf('engine', object({ engine: line(64), epoch: between(1, LARGEST), version: line(100) }))
export type Beacon = ReturnType<typeof beaconIn>

export type Said = ({ kind: 'hello' } & Hello) | ({ kind: 'beat' } & Beat) | ({ kind: 'engine' } & Beacon) | Answer

/** A hello has the highest version of its sender for its own. */
export const written = (said: Said): string => JSON.stringify({ v: PROTOCOL.max, ...said })
