/** The dependencies of each step: its `depends`, or the chain, without a cycle. Source: execution-semantics 1.3.2, 1.4. */
import type { Step } from '../../../machines/vocabulary.ts'
import { didYouMeanInBrackets } from '../../nearest.ts'
import { type Budget, MAX_DEPENDENCIES } from '../budget.ts'
import { type Problems, shortened, wrong } from '../problems.ts'
import type { Draft } from './step.ts'

/** Steps named in the message of a cycle. */
const MAX_NAMED = 10
/** Unknown names that get a suggestion: there may be 10,000 of each. */
const MAX_HINTS = 3

/**
 * Fills in `depends` of each step: those written first, by name, then the steps of the previous item.
 * @param chained whether each item depends on the previous one
 */
export function linkSteps(
  problems: Problems,
  groups: Draft[][],
  { chained, budget }: { chained: boolean; budget: Budget }
): void {
  const drafts = groups.flat()
  const names = new Set(drafts.map(({ step }) => step.name))
  const ids = new Map(drafts.flatMap(({ step }) => (step.id === undefined ? [] : [[step.id, step.name]])))
  let before: string[] = []
  let unknown = 0
  for (const group of groups) {
    for (const { step, depends, dependsField } of group) {
      const upstream = new Set<string>()
      for (const field of depends ?? []) {
        const written = field.value.kind === 'scalar' ? field.value.text.trim() : ''
        const name = names.has(written) ? written : ids.get(written)
        if (name !== undefined) upstream.add(name)
        else {
          const hint = unknown++ < MAX_HINTS ? didYouMeanInBrackets(written, [...names]) : ''
          const reason = `step ${shortened(step.name)} depends on non-existent step ${shortened(written)}${hint}`
          wrong(problems, { ...(dependsField ?? field), value: field.value }, reason)
        }
      }
      if (chained && depends?.length !== 0) for (const name of before) upstream.add(name)
      step.depends = [...upstream]
      budget.dependencies += upstream.size
      if (budget.dependencies > MAX_DEPENDENCIES) {
        problems.add(`field 'steps': a definition has at most ${MAX_DEPENDENCIES} dependencies`, 'steps')
        return
      }
    }
    if (group.length > 0) before = group.map(({ step }) => step.name)
  }
  // Steps with the same name are ambiguous.
  if (names.size < drafts.length) return
  const cycle = findCycle(drafts.map(({ step }) => step))
  const closing = cycle && drafts.find(({ step }) => step === cycle[0])
  if (!cycle || !closing) return
  const path = [...cycle.slice(0, MAX_NAMED), ...(cycle.length > MAX_NAMED ? [] : cycle.slice(0, 1))]
  const shown = path.map(({ name }) => shortened(name)).join(' -> ')
  const field = {
    name: 'depends',
    path: `${closing.field.path}.depends`,
    value: (closing.dependsField ?? closing.field).value
  }
  wrong(problems, field, `cycle detected (${shown}${cycle.length > MAX_NAMED ? ' -> ...' : ''})`)
}

/** The steps of one cycle, each depending on the next, the last on the first. Iterative: a chain may be 10,000 steps long. */
function findCycle(steps: Step[]): Step[] | undefined {
  const byName = new Map(steps.map((step) => [step.name, step]))
  const done = new Set<Step>()
  for (const root of steps) {
    const path = [{ step: root, next: 0 }]
    const onPath = new Set([root])
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const name = done.has(top.step) ? undefined : top.step.depends[top.next++]
      const needed = name === undefined ? undefined : byName.get(name)
      if (name === undefined) {
        done.add(top.step)
        onPath.delete(top.step)
        path.pop()
      } else if (needed && onPath.has(needed)) {
        const steps = path.map(({ step }) => step)
        return steps.slice(steps.indexOf(needed))
      } else if (needed && !done.has(needed)) {
        onPath.add(needed)
        path.push({ step: needed, next: 0 })
      }
    }
  }
  return undefined
}
