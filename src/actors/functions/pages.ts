/**
 * The pages of a step with `each.pages`. Each is asked for when it is its turn, and stored with its items until all of them have succeeded;
 * then only what the step has come to is kept, until it has ended. Source: docs/executors/function.md.
 */
import type { EachInput } from '../../../machines/each.ts'
import type { Json } from '../../../machines/vocabulary.ts'
import { PAGE, pageOf, putItem } from '../../store/items.ts'
import type { Store } from '../../store/open.ts'
import type { StoredItem } from '../../store/stored.ts'
import type { Services } from '../root/services.ts'
import { stepAt } from '../run/run-scope.ts'
import { collectAnswer, pageAnswer } from './answers.ts'
import { lastResult, passOf } from './given.ts'

/** What `item` of a stored page says: all of its items have succeeded, and `output` is what the step has come to. Otherwise it has them. */
const DONE = 'done'
const OPEN = 'open'

export interface Page {
  items: Json[]
  /** The page was complete before. */
  isDone?: true
  /** Stores a page that was asked for, with the message that begins it. */
  save?(): void
}

/** The page that the pass is about. @throws NoAnswer, RangeError: there are more than the step allows */
export async function pageFor(services: Services, store: Store, { run, place }: EachInput): Promise<Page> {
  const scope = services.scope(run)
  const { each, functions } = stepAt(scope.plan, place)
  const pass = passOf(scope, place)
  const stored = pageOf(store, run, place, pass)
  if (stored?.item === DONE) return { items: [], isDone: true }
  if (stored) return { items: JSON.parse(stored.output) }
  const items = await pageAnswer(services, scope, place, functions?.items ?? '')
  if (items.length === 0) return { items }
  if (pass >= (each?.pages ?? 0)) throw new RangeError(`each.pages: wanted at most ${each?.pages}, found more`)
  return {
    items,
    save: () =>
      putItem(services.transactions.changes, run, [place, pass, PAGE], { item: OPEN, output: JSON.stringify(items) })
  }
}

/**
 * What the step has come to with this page: as its `collect` says, or the numbers of pages and items.
 * @returns the result so far, and what makes it durable with the message that tells the chart @throws NoAnswer
 */
export async function pageReport(
  services: Services,
  store: Store,
  { run, place }: EachInput,
  results: readonly StoredItem[]
): Promise<{ output: string; save(): void }> {
  const scope = services.scope(run)
  const step = stepAt(scope.plan, place)
  const pass = passOf(scope, place)
  const put = (at: number, index: number, value?: StoredItem) =>
    putItem(services.transactions.changes, run, [place, at, index], value)
  const stored = pageOf(store, run, place, pass)
  const isOver = stored === undefined
  if (stored?.item === DONE) return { output: stored.output, save() {} }
  const output = JSON.stringify(await cameTo())
  return {
    output,
    save() {
      if (isOver) for (let at = 0; at < pass; at++) put(at, PAGE) // a step that is run again does all of its work again
      for (let index = 0; index < results.length; index++) put(pass, index)
      if (!isOver) put(pass, PAGE, { item: DONE, output })
    }
  }

  async function cameTo(): Promise<unknown> {
    const last = lastResult(scope, step, place)
    if (step.each?.collect !== undefined) {
      // An empty page changes nothing, unless there was no other.
      if (isOver && pass > 0) return last
      const { uncover } = scope.secrets
      const found = results.map(({ output, outputMarks }): Json => JSON.parse(uncover(output, outputMarks)))
      return collectAnswer(services, scope, place, step.each.collect, found)
    }
    const { pages = 0, items = 0 }: { pages?: number; items?: number } = Object(last)
    return { pages: pages + (isOver ? 0 : 1), items: items + results.length }
  }
}
