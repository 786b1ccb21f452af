/**
 * The pages of a step with `each.pages`. Each is asked for when it is its turn, and stored with its items until all of them have succeeded;
 * then only their number is kept, until the step has ended. Source: docs/executors/function.md.
 */
import type { EachInput } from '../../../machines/each.ts'
import type { Json } from '../../../machines/vocabulary.ts'
import { PAGE, pageOf, putItem } from '../../store/items.ts'
import type { Store } from '../../store/open.ts'
import type { Services } from '../root/services.ts'
import { stepAt } from '../run/run-scope.ts'
import { pageAnswer } from './answers.ts'
import { lastResult, passOf } from './given.ts'

/** What `item` of a stored page says: all of its items have succeeded, and `output` is their number. Otherwise it has them. */
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
  const { changes } = services.transactions
  return {
    items,
    save: () => putItem(changes, run, [place, pass, PAGE], { item: OPEN, output: JSON.stringify(items) })
  }
}

/**
 * What the step has come to with this page: the numbers of pages and items.
 * @returns the result so far, and what makes it durable with the message that tells the chart
 */
export function pageReport(
  { scope: scopeOf, transactions }: Services,
  store: Store,
  { run, place }: EachInput,
  total: number
): { output: string; save(): void } {
  const scope = scopeOf(run)
  const pass = passOf(scope, place)
  const { pages = 0, items = 0 }: { pages?: number; items?: number } = Object(
    lastResult(scope, stepAt(scope.plan, place), place)
  )
  const stored = pageOf(store, run, place, pass)
  const put = (at: number, index: number, value?: { item: string; output: string }) =>
    putItem(transactions.changes, run, [place, at, index], value)
  const said = (more: { pages: number; items: number }) => JSON.stringify(more)
  if (!stored)
    return {
      output: said({ pages, items }),
      save() {
        for (let at = 0; at < pass; at++) put(at, PAGE) // a step that is run again does all of its work again
      }
    }
  const count = stored.item === DONE ? Number(stored.output) : total
  return {
    output: said({ pages: pages + 1, items: items + count }),
    save() {
      for (let index = 0; index < total; index++) put(pass, index)
      put(pass, PAGE, { item: DONE, output: String(count) })
    }
  }
}
