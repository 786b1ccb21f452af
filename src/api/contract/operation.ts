/** The contract of an operation, and parts that many share. Source: http-api "Endpoints", api-semantics 1. */
import type { ErrorCode } from '../../errors.ts'
import { array, integer, type Schema, text } from '../../schema/schema.ts'
import type { Need } from './needs.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Answer {
  description: string
  /** Absent: the body is empty. */
  schema?: Schema
  /** Default: `application/json`. */
  type?: string
  /** Describes the text that may be requested instead of JSON. */
  asText?: string
  /** Schema of one item, when it is a stream. */
  part?: Schema
  /** Specific headers, with descriptions. */
  headers?: Readonly<Record<string, string>>
  /** Headers that only some of its answers have. */
  sometimes?: Readonly<Record<string, string>>
}

export interface Operation {
  method: Method
  /** Below the base path of the API; names in braces are PATH_PARAMETERS. */
  path: string
  /** The rights that its caller needs. A constant of needs.ts. */
  needs: Need
  tag: Tag
  summary: string
  description?: string
  /** An array may occur several times; an empty value counts as absent. */
  query?: Readonly<Record<string, Schema>>
  headers?: Readonly<Record<string, Schema>>
  body?: Schema
  answers: Readonly<Record<number, Answer>>
  /** In addition to those of every operation of its kind. */
  errors?: readonly ErrorCode[]
  /** Codes that have another HTTP status here. */
  errorStatus?: Readonly<Partial<Record<ErrorCode, number>>>
  /** Older aliases: other methods, or another word in the path. */
  also?: readonly { method: Method; path: string }[]
  /** The operation is about this server only, and ignores `remoteNode`. */
  own?: true
  /** The operation begins a run, or has one wait: it counts against `starts` and `runs` of its caller's limits. */
  starts?: true
}

/** @param rest its answers, and what is not in every operation */
export const operation = <
  const M extends Method,
  const P extends string,
  const R extends Omit<Operation, 'method' | 'path' | 'needs' | 'tag' | 'summary'>
>(
  method: M,
  path: P,
  needs: Need,
  tag: Tag,
  summary: string,
  rest: R
) => ({ ...rest, method, path, needs, tag, summary })

export const TAGS = {
  System: 'The server itself: health, metrics, this document.',
  Definitions: 'DAGs as they are stored.',
  Starting: 'Runs of a definition that are started, queued or stopped.',
  Runs: 'Runs, whatever they were started from.',
  'Sub DAG runs': 'Runs that were called by steps of other runs.',
  Logs: 'What runs and steps have written.',
  Facts: 'Statecharts, and what is known of the actors of a run.',
  Events: 'Transitions as they happen.',
  Queues: 'Queues, workers and the services behind them.',
  Access: 'API keys, and who is signed in.',
  Home: 'The home of the server as a whole: settings, examination, copy, keys of workers, events for targets.'
} as const
export type Tag = keyof typeof TAGS

/** With a specific description. */
export const described = <const S extends Schema, const D extends string>(schema: S, description: D) =>
  ({ ...schema, description }) as const

/** An integer that is clamped to a range. @param maximum default: none */
export const ranged = <const D extends string>(description: D, minimum: number, maximum?: number) =>
  ({
    ...integer,
    description,
    'x-strict': { minimum, ...(maximum === undefined ? {} : { maximum }) }
  }) as const

/** A choice of words; any other text counts as the first. */
export const oneOf = <const S extends Schema>(schema: S, ...words: string[]) =>
  ({ ...schema, 'x-strict': { enum: words } }) as const

/** Query parameter of every operation that is not `own`. Source: api-semantics 8 R1. */
export const REMOTE_NODE = {
  remoteNode: described(text, 'Name of a remote node to forward the request to. Default: `local`, this server.')
} as const

export const texts = array(text)

/** @param schema absent: an empty body */
export const ok = <const S extends Schema>(description: string, schema: S) =>
  ({ 200: { description, schema } }) as const
export const done = (description: string) => ({ 200: { description } }) as const
