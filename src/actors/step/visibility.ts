/** The outputs that a step may see: those of its transitive predecessors, nearest first. Source: execution-semantics 3.4.3. */
import type { Step } from '../../../machines/vocabulary.ts'

/** What is visible at one place of the graph. Places that see the same share an object, so a long chain costs nothing. */
export interface Visible {
  /** Index of a predecessor that captures its output. */
  producer?: number
  /** What the producer, or each of several dependencies, sees itself. */
  behind: Visible[]
}

const NOTHING: Visible = { behind: [] }

/** What each step sees, by index. @param steps without cycles */
export function visibleTo(steps: Step[]): Visible[] {
  const indexOf = new Map(steps.map((step, index) => [step.name, index]))
  const seenBy: Visible[] = []
  const seenAfter: Visible[] = [] // one object per step: dependents compare by identity
  for (const index of inOrder(steps, indexOf)) {
    const dependencies = steps[index]?.depends.map((name) => seenAfter[indexOf.get(name) ?? -1] ?? NOTHING) ?? []
    const [only = NOTHING, ...others] = [...new Set(dependencies)].filter((seen) => seen !== NOTHING)
    const seen = others.length === 0 ? only : { behind: [only, ...others] }
    seenBy[index] = seen
    seenAfter[index] = steps[index]?.output === undefined ? seen : { producer: index, behind: [seen] }
  }
  return seenBy
}

/** Producers from the nearest to the farthest, each once. */
export function* producersIn(visible: Visible): Iterable<number> {
  const seen = new Set<Visible>([visible])
  const queue = [visible]
  for (let head = 0; head < queue.length; head++) {
    const place = queue[head]
    if (!place) continue
    if (place.producer !== undefined) yield place.producer
    for (const next of place.behind) {
      if (seen.has(next)) continue
      seen.add(next)
      queue.push(next)
    }
  }
}

/** Whether a step depends on another, directly or indirectly. @param indexOf places of steps by name */
export function dependsOn(steps: Step[], indexOf: Map<string, number>, index: number, other: number): boolean {
  const seen = new Set([index])
  for (const at of seen) {
    for (const name of steps[at]?.depends ?? []) {
      const dependency = indexOf.get(name) ?? -1
      if (dependency === other) return true
      seen.add(dependency)
    }
  }
  return false
}

/** Indexes in topological order: every dependency comes first. */
function inOrder(steps: Step[], indexOf: Map<string, number>): number[] {
  const pending = steps.map((step) => step.depends.length)
  const dependents: number[][] = steps.map(() => [])
  steps.forEach((step, index) => {
    for (const name of step.depends) dependents[indexOf.get(name) ?? -1]?.push(index)
  })
  const order = steps.flatMap((step, index) => (step.depends.length === 0 ? [index] : []))
  for (let head = 0; head < order.length; head++)
    for (const next of dependents[order[head] ?? -1] ?? []) {
      pending[next] = (pending[next] ?? 1) - 1
      if (pending[next] === 0) order.push(next)
    }
  return order
}
