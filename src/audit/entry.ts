/** An entry of the audit log, and the line that it is stored as, with the hash of the one before. Source: docs/operating/audit.md. */
import { createHash } from 'node:crypto'
import { integer, object, text } from '../schema/schema.ts'
import { parsed } from '../schema/walk.ts'

/** The one who has done it. */
export interface Who {
  /**
   * `token`, `user`, `person`, `caller` and the like: known by credentials; `owner`: the user of the system that the home belongs to;
   * `anyone`: the server asks nobody who they are; `stranger`: it asks, and did not get an answer that is right; `host`: the application
   * that the engine is part of; `engine`
   */
  kind: string
  /** Empty: there is none. */
  name: string
}

/**
 * The way in: the API (version 2 or 1), the page, an application that mounts the API, another server, the socket or the command line of the
 * owner, a host application that calls its engine, the engine itself.
 */
export type Door = 'api' | 'v1' | 'page' | 'mount' | 'node' | 'socket' | 'cli' | 'host' | 'engine'

/** A step of a run. */
export interface CallingStep {
  name: string
  dagRunId: string
  stepName: string
}

export interface NewEntry {
  principal: Who
  /** IP address of the client; absent: it came over no network. */
  address?: string
  door: Door
  requestId?: string
  /** The step in which the command ran, as its environment said. Absent: it ran in none. */
  step?: CallingStep
  /** Id of an operation of the API, or such as `signIn`, `serverStarted`. Of an unknown caller's request: its method and path. */
  operation: string
  /** The target of the operation: parameters of its path by name. */
  target?: Readonly<Record<string, string>>
  /** `done`, or an error code. */
  outcome: string
  /** HTTP status of the answer. */
  status?: number
  /** The target was answered as if it did not exist, because the caller must not see it. */
  hidden?: true
  /** The reason of a refusal, in the words of its answer. */
  reason?: string
  before?: Readonly<Record<string, unknown>>
  after?: Readonly<Record<string, unknown>>
  /** Number of further refusals since the last entry like this one; `until` is the time of the last one. */
  repeated?: number
  until?: string
}

export interface Entry extends NewEntry {
  /** 1, 2, 3... */
  seq: number
  /** RFC 3339, UTC, with milliseconds. */
  at: string
  /** `hash` of the entry before. */
  previous: string
  /** SHA-256 of the line without this member, hexadecimal. */
  hash: string
}

/** The latest entry of a chain. */
export interface Head {
  seq: number
  hash: string
}

/** `previous` of the first entry. */
export const GENESIS = '0'.repeat(64)
/** The operation of a retention that has dropped files; the chain begins after it. */
export const DROPPED = 'dropAudit'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

// D1456: lines of JSON in files, each with the hash of the one before; an entry is appended before its change is acknowledged
/** The line of an entry, without its end, and the head that it makes. */
export function sealed(entry: NewEntry, at: string, { seq, hash: previous }: Head): { line: string; head: Head } {
  const text = JSON.stringify({ seq: seq + 1, at, ...entry, previous })
  const hash = sha256(text)
  return { line: `${text.slice(0, -1)},"hash":"${hash}"}`, head: { seq: seq + 1, hash } }
}

const LINE = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s

/** A line that was read; undefined: it is no entry. `isIntact`: its hash is that of the rest of the line. */
export function unsealed(line: string): { entry: Entry; isIntact: boolean } | undefined {
  const [, text, hash] = LINE.exec(line) ?? []
  if (text === undefined) return undefined
  const entry = entryIn(line)
  return entry && { entry, isIntact: sha256(`${text}}`) === hash }
}

const read = object({
  seq: integer,
  at: text,
  previous: text,
  hash: text,
  operation: text,
  outcome: text,
  principal: object({ kind: text, name: text })
})
/** An entry whose hash is not looked at; undefined: it is none. */
export const entryIn = (line: string): Entry | undefined => parsed(read, line) as Entry | undefined // its other members are only shown
