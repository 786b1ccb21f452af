/** The end of a step or command: what a test has said, or that it has said nothing. */
import type { Json } from '../../machines/vocabulary.ts'
import { TroupeError } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import { type End, type Ends, endOf, type MockCall, type One } from './ends.ts'

/** A mock of every step of a type of executor, of a command in a condition or in backticks, or of a function of the host application. */
export type MockedKind = { type: string } | { command: string } | { function: string }

/** What is asked for an end. */
export interface Asked {
  /** For people, such as `step etl/load`. */
  what: string
  /** Names to look for a mock under, the nearest first. */
  keys: readonly string[]
  /** How a test mocks it, for the refusal. */
  advice: string
}

export interface Mocks {
  set(key: string, ends: Ends<Json>): void
  passThrough(key: string): void
  isSet(key: string): boolean
  /** Resolves with the end; waits while nothing was said. @param passing the answer for what passes through; absent: it cannot */
  endFor<T = never>(asked: Asked, call: MockCall, passing?: T): Promise<End | T>
  /** What waits because nothing was said, as a sentence; undefined: nothing does. */
  refusal(): string | undefined
  calls(key: string): readonly MockCall[]
  /** How often each key was used. */
  uses(): ReadonlyMap<string, number>
}

/** Calls that are kept of one step: a loop of a test may be long. */
const MOST_CALLS = 100_000

export function keyOf(kind: MockedKind): string {
  if ('type' in kind) return `type:${kind.type}`
  return 'command' in kind ? `command:${kind.command}` : `function:${kind.function}`
}

/** @param track time stands still while a function of the test is at work */
export function openMocks(track: <T>(work: Promise<T>) => Promise<T>): Mocks {
  const mocks = new Map<string, { ends: Ends<Json>; used: number }>()
  const through = new Set<string>()
  const calls = new Map<string, MockCall[]>()
  const held = new Map<object, { asked: Asked; again(): void; why?: string }>()

  const goOn = () => {
    for (const { again } of [...held.values()]) again()
  }
  /** Undefined: nothing was said. */
  async function found({ what, keys }: Asked, call: MockCall): Promise<{ end: End } | { why?: string }> {
    const key = keys.find((key) => mocks.has(key))
    const mock = key === undefined ? undefined : mocks.get(key)
    if (!mock) return {}
    const { ends } = mock
    // D1121: a list of ends has one end for each call; one call more is refused by name
    if (Array.isArray(ends) && mock.used >= ends.length)
      return {
        why: `${what} is mocked for ${ends.length} ${ends.length === 1 ? 'call' : 'calls'}, and is called once more`
      }
    const number = mock.used++
    if (typeof ends !== 'function') return { end: endOf((Array.isArray(ends) ? ends[number] : ends) as One<Json>) } // it is there: see above
    try {
      return { end: endOf(await track(Promise.resolve(ends(call)))) }
    } catch (error) {
      return { end: endOf(error instanceof Error ? error : new Error(String(error))) }
    }
  }

  return {
    set(key, ends) {
      if (Array.isArray(ends) && ends.length === 0)
        throw new TroupeError('bad_request', `mock ${key}: wanted at least one end, found an empty list`)
      mocks.set(key, { ends, used: 0 })
      through.delete(key)
      goOn()
    },
    passThrough(key) {
      mocks.delete(key)
      through.add(key)
      goOn()
    },
    isSet: (key) => mocks.has(key),
    async endFor<T = never>(asked: Asked, call: MockCall, passing?: T): Promise<End | T> {
      const [own = ''] = asked.keys
      const known = calls.get(own) ?? []
      calls.set(own, known)
      if (known.length < MOST_CALLS) known.push(call)
      for (;;) {
        if (passing !== undefined && asked.keys.some((key) => through.has(key))) return passing
        const one = await found(asked, call)
        if ('end' in one) return one.end
        // D1122: a step that is not mocked waits, and `idle`, `advance` and `result` say so
        const place = {}
        await new Promise<void>((again) => held.set(place, { asked, again, ...one }))
        held.delete(place)
      }
    },
    refusal() {
      if (held.size === 0) return undefined
      const sentences = Array.from(
        held.values(),
        ({ asked, why }) => `${why ?? `${asked.what} is not mocked`}: ${asked.advice}`
      )
      return [...new Set(sentences)].join('; ')
    },
    calls: (key) => calls.get(key) ?? [],
    uses: () => new Map(Array.from(mocks, ([key, { used }]) => [key, used]))
  }
}

/** Names of steps by name of their DAG. */
export type KnownSteps = ReadonlyMap<string, { steps: readonly string[]; calls: ReadonlyMap<string, string> }>

/** The key of `dag/step`. @throws TroupeError bad_request: there is no such step, or nothing of it can be mocked */
export function stepKey(written: string, known: KnownSteps): string {
  const refuse = (why: string) => new TroupeError('bad_request', `mock ${JSON.stringify(written)}: ${why}`)
  const slash = written.indexOf('/')
  if (slash < 1) throw refuse('wanted DAG/STEP, such as etl/load')
  const [dag, step] = [written.slice(0, slash), written.slice(slash + 1)]
  const found = known.get(dag)
  if (!found) throw refuse(`there is no DAG named "${dag}"${didYouMean(dag, [...known.keys()])}`)
  // D1128: a step that calls a workflow is not mocked; the steps of that workflow are
  const called = found.calls.get(step)
  if (called !== undefined)
    throw refuse(`step "${step}" calls the workflow ${called}, which runs here: mock its steps, ${called}/STEP`)
  if (!found.steps.includes(step))
    throw refuse(
      `DAG "${dag}" has no step named "${step}"${didYouMean(step, found.steps)}; it has ${found.steps.join(', ') || 'none'}`
    )
  return written
}
