/** JSON of an answer. A long one, such as 10,000 steps, yields to the event loop in between. Source: reliability P17. */
import { turns } from './turns.ts'

/** List items per part. */
const AT_ONCE = 250
/** Maximum depth of lists that grow with a run or a definition: `dagRun.nodes`, `dag.steps`, `dagRuns[].nodes`. */
const DEEPEST = 3

/** The text that `JSON.stringify` makes. */
export async function jsonText(value: unknown): Promise<string> {
  return isLong(value, DEEPEST) ? inParts(value, DEEPEST) : JSON.stringify(value)
}

type Members = Record<string, unknown>
const isMap = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value)

/** Whether a value contains a long list. */
function isLong(value: unknown, depth: number): boolean {
  if (Array.isArray(value))
    return value.length > AT_ONCE || (depth > 0 && value.some((item) => isLong(item, depth - 1)))
  return depth > 0 && isMap(value) && Object.values(value).some((member) => isLong(member, depth - 1))
}

async function inParts(value: unknown, depth: number): Promise<string> {
  if (!isLong(value, depth)) return JSON.stringify(value)
  if (isMap(value)) {
    const members: string[] = []
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) members.push(`${JSON.stringify(name)}:${await inParts(member, depth - 1)}`)
    return `{${members.join()}}`
  }
  const items: string[] = []
  const turn = turns()
  // What is long and no map is a list.
  for (const item of value as unknown[]) {
    items.push(isLong(item, depth - 1) ? await inParts(item, depth - 1) : (JSON.stringify(item) ?? 'null'))
    await turn()
  }
  return `[${items.join()}]`
}
