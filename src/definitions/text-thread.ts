/**
 * Untrusted texts that could block the event loop are read in a thread: long definitions, and schemas of params, which may take any
 * amount of work. Source: reliability R3, P17.
 */
import { deserialize } from 'node:v8'
import type { Plan, RunParam, Step } from '../../machines/vocabulary.ts'
import { type Clock, nextTurn, systemClock } from '../clock.ts'
import type { Fitted, FittedPayload } from '../definition/dag/param-schema.ts'
import type { Definition, Outline } from '../definition/definition.ts'
import { type ReadOptions, readDefinition } from '../definition/read.ts'
import { SHORT_TEXT } from '../definition/yaml/nesting.ts'
import { TroupeError } from '../errors.ts'
import { inThread, type ThreadWork } from '../executors/frame/worker-thread.ts'

export type TextWork =
  | { do: 'read'; text: string; options: ReadOptions }
  | { do: 'fit'; schema: string; params: RunParam[] }
  | { do: 'payload'; schema: string; payload: string }
  | { do: 'schemas'; schemas: string[] }

/** A definition without its steps, and these in parts; both as `node:v8` writes them. */
export interface ReadText {
  shell: Uint8Array
  parts: Uint8Array[]
}

interface Placed {
  first: number
  count: number
}
type PlacedPlan = Plan & Placed & { locals: (Plan & Placed)[] }
type Shell = Omit<Definition, 'plan' | 'outline'> & { plan?: PlacedPlan; outline: Outline & Partial<Placed> }

/** Invalid texts of the allowed size take a few seconds; the machine may be busy. */
const LIMIT_MS = 60_000
/** The largest texts need a third of it. */
const HEAP_MB = 768

export interface ReadLimits {
  /** Length in UTF-16 units up to which a text is read at once. Default: `SHORT_TEXT` */
  short?: number
  /** Limit of the thread's heap. Default: 768 */
  heapMb?: number
}

// D261, D720: long texts are parsed in a thread
/**
 * Reads a definition: a short one at once, a long one in a thread, which sends it in parts so that the event loop is not blocked.
 * @throws TroupeError bad_request: the thread died, or took longer than a minute
 */
export async function readApart(
  text: string,
  options: ReadOptions,
  clock: Clock,
  { short = SHORT_TEXT, heapMb }: ReadLimits = {}
): Promise<Definition> {
  const { custom, ...others } = options
  const types = [...(custom ?? [])]
  // Checks of the host application can only run in this thread.
  if (text.length <= short || types.some(([, { validate }]) => validate)) return readDefinition(text, options)
  const work = { do: 'read', text, options: types.length > 0 ? { ...others, custom: new Map(types) } : others } as const
  const { shell, parts } = await inTextThread<ReadText>(work, clock, heapMb).catch((cause: Error) => {
    throw new TroupeError('bad_request', `the definition cannot be read: ${whatOf(cause)}`, { cause })
  })
  return whole(deserialize(shell), parts)
}

/** The end of a thread, as a clause. */
const whatOf = ({ message }: Error) => (/^not done|^ended/.test(message) ? `it was ${message}` : `it ${message}`)

async function whole({ plan, outline, ...rest }: Shell, parts: Uint8Array[]): Promise<Definition> {
  const stepsOf = async ({ first = 0, count = 0 }: Partial<Placed>) => {
    const steps: Step[] = []
    for (const part of parts.slice(first, first + count)) {
      const some: Step[] = deserialize(part)
      for (const step of some) steps.push(step)
      await nextTurn(systemClock)
    }
    return steps
  }
  if (!plan) {
    const { first = 0, count = 0, ...own } = outline
    return { ...rest, outline: { ...own, steps: await stepsOf({ first, count }) } }
  }
  const filled = async ({ first, count, ...own }: Plan & Placed): Promise<Plan> => ({
    ...own,
    steps: await stepsOf({ first, count })
  })
  const locals: Plan[] = []
  for (const local of plan.locals) locals.push(await filled(local))
  const own = { ...(await filled(plan)), locals }
  return { ...rest, plan: own, outline: { ...outline, steps: own.steps } }
}

/** Params against a schema. @throws TroupeError bad_request: the schema is unusable, or takes too long */
export async function fitParams(schema: string, params: RunParam[], clock: Clock): Promise<Fitted> {
  const found = await inTextThread<{ fitted: Fitted } | { refused: string }>(
    { do: 'fit', schema, params },
    clock
  ).catch((cause: Error) => {
    throw new TroupeError('bad_request', `failed to get JSON schema: ${whatOf(cause)}`, { cause })
  })
  if ('refused' in found) throw new TroupeError('bad_request', found.refused)
  return found.fitted
}

/** A payload against a schema, completed by its defaults. @throws TroupeError bad_request: the schema is unusable, or takes too long */
export async function fitPayload(schema: string, payload: string, clock: Clock): Promise<FittedPayload> {
  const found = await inTextThread<{ fitted: FittedPayload } | { refused: string }>(
    { do: 'payload', schema, payload },
    clock
  ).catch((cause: Error) => {
    throw new TroupeError('bad_request', `failed to get JSON schema: ${whatOf(cause)}`, { cause })
  })
  if ('refused' in found) throw new TroupeError('bad_request', found.refused)
  return found.fitted
}

/** Why each of these schemas cannot be used; empty: it can. */
export const checkSchemas = (schemas: string[], clock: Clock): Promise<string[]> =>
  inTextThread<string[]>({ do: 'schemas', schemas }, clock).catch((cause: Error) => [
    `the schemas cannot be checked: ${whatOf(cause)}`
  ])

function inTextThread<T>(data: TextWork, clock: Clock, heapMb = HEAP_MB): Promise<T> {
  const module = new URL('./text-worker.js', import.meta.url)
  const { signal } = new AbortController() // nobody stops it
  const work: ThreadWork = { module, kept: true, line: 'texts', data, signal, limitMs: LIMIT_MS, heapMb }
  return inThread<T>(work, clock)
}
