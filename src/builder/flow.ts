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

/** The function of a loop that is told with what it begins. */
export const fromFirst =
  (first: unknown, run: Answering): Answering =>
  (call) =>
    run(first === undefined || Object(call).pass !== 1 ? call : { ...Object(call), last: structuredClone(first) })

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
