/** Loops and fan-outs of a DAG of code, as fields of the format and functions that answer. Source: docs/embedding/flow.md. */
import { didYouMean } from '../nearest.ts'
import { type Answering, shown } from './options.ts'

const POLICY = ['limit', 'intervalSec', 'backoff', 'maxIntervalSec'] as const
const MODES = ['until', 'while'] as const

interface ReadPasses {
  first?: unknown
  decides?: Answering
  /** In the words of the format. */
  policy: Record<string, unknown>
  problems: string[]
}

/** What is said of the passes of a loop. The reader of definitions checks the values of its policy. */
export function readPasses(passes: unknown): ReadPasses {
  const found: ReadPasses = { policy: {}, problems: [] }
  if (typeof passes !== 'object' || passes === null || Array.isArray(passes)) {
    found.problems.push(`passes: wanted an object with until or while, and limit, found ${shown(passes)}`)
    return found
  }
  const known: readonly string[] = [...MODES, ...POLICY, 'first']
  for (const [name, value] of Object.entries(passes)) {
    const mode = MODES.find((one) => one === name)
    if (value === undefined) continue
    if (name === 'first') found.first = value
    else if (!known.includes(name)) found.problems.push(`unknown option ${name}${didYouMean(name, known)}`)
    else if (!mode) found.policy[name] = value
    else if (typeof value !== 'function') found.problems.push(`${name}: wanted a function, found ${shown(value)}`)
    else if (found.decides) found.problems.push('until and while are exclusive')
    else {
      found.policy.repeat = mode
      found.decides = value as Answering // checked here
    }
  }
  if (!found.decides && found.problems.length === 0) found.problems.push('wanted until or while, found neither')
  // D1772: a loop in code names its limit
  const { limit } = found.policy
  if (typeof limit !== 'number' || limit < 1)
    found.problems.push(`limit: wanted the number of passes that there may be, found ${shown(limit)}`)
  return found
}

/** What is said of the result of a step with pages. */
export function readCollecting(collecting: unknown = {}): { first?: unknown; collect?: Answering; problems: string[] } {
  const { first, collect, ...more }: { first?: unknown; collect?: unknown } = Object(collecting)
  const problems = Object.keys(more).map((name) => `unknown option ${name}${didYouMean(name, ['first', 'collect'])}`)
  if (collect === undefined && first === undefined) return { problems }
  if (typeof collect === 'function') return { first, collect: collect as Answering, problems } // checked here
  return { problems: [...problems, `collect: wanted a function, found ${shown(collect)}`] }
}

/** A function that is told with what its loop, or its first page, begins. */
export const fromFirst =
  (first: unknown, run: Answering): Answering =>
  (call) => {
    const { pass = 1, page = 0 }: { pass?: number; page?: number } = Object(call)
    return run(first === undefined || pass > 1 || page > 0 ? call : { ...Object(call), last: structuredClone(first) })
  }

/** The options of a call for each item, whose items are the params of the calls. */
export function withParams(options: unknown): unknown {
  const { items, params, ...rest }: { items?: unknown; params?: unknown } = Object(options)
  if (typeof items !== 'function' || typeof params !== 'function') return rest
  const paramsOfAll: Answering = async (given) => {
    const found: unknown = await items(given)
    return Array.isArray(found) ? found.map((item, index) => params({ ...Object(given), item, index })) : found
  }
  return { ...rest, items: paramsOfAll }
}
