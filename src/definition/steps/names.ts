/** Names and ids of steps: those written are checked, missing names are generated. Source: execution-semantics 1.5. */
import { type Problems, shortened, wrong, wrongValue } from '../problems.ts'
import type { Draft } from './step.ts'

const ID = /^[a-zA-Z][a-zA-Z0-9_-]*$/

const RESERVED_IDS = new Set(['env', 'params', 'args', 'stdout', 'stderr', 'output', 'outputs'])

// D505: a step may not have the name of a defined handler
/**
 * Checks names and ids, and generates missing names.
 * @param groups steps by item of the list; the item's number is what an automatic name starts from
 * @param handlers have names already; their ids must differ from those of the steps
 */
export function nameSteps(problems: Problems, groups: Draft[][], handlers: Draft[]): void {
  const drafts = groups.flat()
  const names = new Map(handlers.map((handler) => [handler.step.name, handler]))
  for (const draft of drafts) {
    const { name } = draft.step
    if (name && names.has(name)) wrongValue(problems, draft.nameField, 'step name must be unique')
    else if (name) names.set(name, draft)
  }
  const ids = checkIds(problems, [...drafts, ...handlers], names)
  const lastNumbers = new Map<string, number>()
  for (const [index, group] of groups.entries()) {
    for (const draft of group) {
      if (draft.step.name) continue
      // Items come in order, so the numbers between this item's and the last assigned one are taken.
      let number = Math.max(index + 1, (lastNumbers.get(draft.prefix) ?? 0) + 1)
      const isFree = (name: string) => !names.has(name) && (ids.get(name) ?? draft) === draft
      while (!isFree(`${draft.prefix}_${number}`)) number++
      lastNumbers.set(draft.prefix, number)
      draft.step.name = `${draft.prefix}_${number}`
      names.set(draft.step.name, draft)
    }
  }
}

/** The steps by id. A wrong id is reported and dropped. */
function checkIds(problems: Problems, drafts: Draft[], names: Map<string, Draft>): Map<string, Draft> {
  const ids = new Map<string, Draft>()
  for (const draft of drafts) {
    const { idField, step } = draft
    if (!idField || step.id === undefined) continue
    const reason = wrongId(step.id, ids) ?? conflict(step.id, names.get(step.id) ?? draft, draft)
    if (reason) wrong(problems, idField, reason)
    else ids.set(step.id, draft)
  }
  return ids
}

function wrongId(id: string, ids: Map<string, Draft>): string | undefined {
  if (!ID.test(id))
    return `invalid step ID format: must match pattern ${ID.source} (value: ${JSON.stringify(shortened(id))})`
  if (RESERVED_IDS.has(id.toLowerCase())) return `step ID '${id}' is a reserved word`
  return ids.has(id) ? `duplicate step ID: ${shortened(id)}` : undefined
}

const conflict = (id: string, named: Draft, draft: Draft) =>
  named === draft ? undefined : `step ID '${shortened(id)}' conflicts with another step's name`
