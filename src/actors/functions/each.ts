/** Implements the actors of the chart of a step with `each`: its items, one call for each, and their results put together. */
import { createHash } from 'node:crypto'
import { fromCallback } from 'xstate'
import {
  type EachEvent,
  type EachInput,
  eachMachine,
  type ItemEnded,
  type ItemInput,
  itemId
} from '../../../machines/each.ts'
import type { AttemptCommand } from '../../../machines/node.ts'
import { interruption } from '../../../machines/run/run-context.ts'
import type { Json, SecretMark, Step } from '../../../machines/vocabulary.ts'
import { expandDeep } from '../../definition/text/expand-deep.ts'
import { ResultTooLarge } from '../../executors/function/errors.ts'
import { functionName } from '../../executors/function/missing-code.ts'
import { saidBy, thrownOf } from '../../executors/function/thrown.ts'
import { itemsOf, putItem } from '../../store/items.ts'
import type { Store } from '../../store/open.ts'
import { dropped } from '../journal/dropped.ts'
import { quick } from '../journal/quick-transitions.ts'
import type { Services } from '../root/services.ts'
import { stepAt } from '../run/run-scope.ts'
import type { Attempt } from '../runner/runner.ts'
import { viewOf } from '../step/lookups.ts'
import type { NoAnswer } from './answers.ts'
import { passOf } from './given.ts'
import { missingAt } from './lacking.ts'
import { type Page, pageFor, pageReport } from './pages.ts'
import { performFunction } from './perform-function.ts'

/** Items that one step may have. */
const MOST_ITEMS = 1_000
const INTERRUPTED = 'interrupted: outcome unknown'

// D1057: each result of an item is stored on its own
export const eachLogic = (services: Services, store: Store) =>
  quick(eachMachine.provide({ actions: { dropItem: dropped(({ index }: ItemEnded) => itemId(index)) } }), {
    itemSource: itemSource(services, store),
    item: item(services),
    itemReport: itemReport(services, store)
  })

const itemSource = (services: Services, store: Store) =>
  fromCallback<{ type: 'items.stop' }, EachInput>(({ input, sendBack }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    async function found(): Promise<() => EachEvent> {
      const { scope, step } = placeIn(services, input)
      const at = clock.now()
      if (input.stopped) return () => ({ type: 'each.unresolved', at, error: 'signal: terminated', isFinal: true })
      const code = missingAt(services, input)
      if (code) return () => ({ type: 'each.lacking', at, code })
      // Which of the others had begun, nobody knows.
      if (input.resumed && interruption({ plan: scope.plan }, step).onInterrupt === 'fail')
        return () => ({ type: 'each.unresolved', at, error: INTERRUPTED, isFinal: true })
      if (input.isSpent) return () => ({ type: 'each.resolved', at, items: [], pending: [], maxConcurrent: 1, room: 0 })
      const isPaged = step.each?.pages !== undefined
      if (isPaged && input.died) transactions.take(() => sendBack({ type: 'each.died', at }))
      const { items, isDone, save }: Page = isPaged
        ? await pageFor(services, store, input)
        : { items: await itemsFor(services, input, step, abandoned) }
      const pass = passOf(scope, input.place)
      const stored = itemsOf(store, scope.key, input.place, pass)
      const kept = items.flatMap((item, index) => (stored.get(index)?.item === hashOf(item) ? [index] : []))
      // A step that is run again although all of its items had succeeded, or from a step on, does all of its work again.
      const isWhole = !isPaged && kept.length === items.length
      const isAgain = (isWhole || scope.isFresh) && input.attempt === 1 && !input.resumed
      const done = new Set(isAgain ? [] : kept)
      let used = 0
      for (const index of done) used += Buffer.byteLength(stored.get(index)?.output ?? '')
      return () => {
        save?.()
        if (isAgain)
          for (const index of kept) putItem(transactions.changes, scope.key, [input.place, pass, index], undefined)
        return {
          type: 'each.resolved',
          at,
          items,
          pending: items.flatMap((_, index) => (done.has(index) ? [] : [index])),
          maxConcurrent: step.each?.maxConcurrent ?? 1,
          room: scope.plan.maxOutputSize - used,
          ...(isPaged && items.length === 0 && !isDone ? { isOver: true as const } : {})
        }
      }
    }
    // Results of earlier attempts are read from the store, so they must have been written.
    transactions.afterFlush(
      () =>
        void found()
          .catch((error) => () => unresolved(services, input, error))
          .then((event) => {
            if (!abandoned.signal.aborted) transactions.take(() => sendBack(event()))
          })
    )
    return () => abandoned.abort()
  })

function unresolved(services: Services, input: EachInput, error: unknown): EachEvent {
  const { scope, step } = placeIn(services, input)
  const thrown = thrownOf(error, scope.secrets.mask)
  const at = services.clock.now()
  return { type: 'each.unresolved', at, error: `failed to execute step "${step.name}": ${saidBy(thrown)}`, thrown }
}

/** As answered, as written with all texts expanded, or a text that becomes JSON. @throws TypeError, RangeError */
async function itemsFor(
  services: Services,
  input: EachInput,
  step: Step,
  abandoned: { readonly signal: AbortSignal }
): Promise<Json[]> {
  const items = input.answers?.items ?? (await written(services, input, step, abandoned))
  if (!Array.isArray(items)) throw new TypeError('each.items: wanted a list in JSON')
  if (items.length > MOST_ITEMS)
    throw new RangeError(`each.items: wanted at most ${MOST_ITEMS} items, found ${items.length}`)
  return items
}

async function written(
  services: Services,
  input: EachInput,
  step: Step,
  abandoned: { readonly signal: AbortSignal }
): Promise<Json | undefined> {
  const { scope } = placeIn(services, input)
  const { isSecret: _, ...look } = (await viewOf(services, scope, input, step, abandoned)).all
  const { items } = await expandDeep({ items: step.each?.items ?? [] }, look)
  if (typeof items !== 'string') return items
  try {
    return JSON.parse(items)
  } catch {
    throw new TypeError('each.items: wanted a list in JSON, found other text')
  }
}

/** One call of the function. Its result is stored with the message that tells the chart. */
const item = (services: Services) =>
  fromCallback<AttemptCommand, ItemInput>(({ input, sendBack, receive }) => {
    const { step: of, index, item: value, room } = input
    const { clock, transactions } = services
    let work: Attempt | undefined
    const early: AttemptCommand[] = []
    receive((command) =>
      transactions.afterCommitOrStall(() => {
        if (work) work.hear(command)
        else early.push(command)
      })
    )
    let isLeft = false
    const ended = (end: Omit<ItemEnded, 'type' | 'index' | 'at'>, save = () => {}) =>
      transactions.take(() => {
        save()
        sendBack({ type: 'item.ended', at: clock.now(), index, ...end })
      })
    async function perform(): Promise<void> {
      const { scope, step } = placeIn(services, of)
      const fn = services.functions.get(functionName(step))
      if (!fn) throw new Error(`the function "${functionName(step)}" is not registered`)
      const { resumed: _resumed, mayResume: _mayResume, at: _at, ...fresh } = of
      work = performFunction({ services, input: fresh, scope, step, tell: () => {}, item: { index, value } }, fn)
      for (const command of early) work.hear(command)
      const { error, thrown, output = 'null', outputMarks, exitCode } = await work.ended
      if (exitCode !== 0) return ended({ bytes: 0, error: error ?? 'failed', ...(thrown ? { thrown } : {}) })
      const bytes = Buffer.byteLength(output)
      if (bytes > room) {
        const tooLarge = thrownOf(new ResultTooLarge('the results of all items are larger than maxOutputSize'), String)
        return ended({ bytes: 0, error: saidBy(tooLarge), thrown: tooLarge })
      }
      ended({ bytes }, () =>
        putItem(transactions.changes, scope.key, [of.place, passOf(scope, of.place), index], {
          item: hashOf(value),
          output,
          ...(outputMarks ? { outputMarks } : {})
        })
      )
    }
    transactions.afterCommit(() => {
      if (isLeft) return
      void perform().catch((error: Error) => ended({ bytes: 0, error: error.message }))
    })
    return () => {
      isLeft = true
      work?.leave()
    }
  })

const itemReport = (services: Services, store: Store) =>
  fromCallback<{ type: 'report.stop' }, EachInput & { total: number }>(({ input, sendBack }) => {
    const { clock, transactions } = services
    let isLeft = false
    transactions.afterFlush(() => {
      if (isLeft) return
      const { scope } = placeIn(services, input)
      const stored = itemsOf(store, scope.key, input.place, passOf(scope, input.place))
      const lost = Array.from({ length: input.total }, (_, index) => index).filter((index) => !stored.has(index))
      const results = Array.from(
        { length: input.total },
        (_, index) => stored.get(index) ?? { item: '', output: 'null' }
      )
      const reported = ({ save, ...end }: Reported) =>
        transactions.take(() => {
          if (isLeft) return
          save?.()
          sendBack({ type: 'each.reported', at: clock.now(), ...end })
        })
      if (lost.length > 0)
        reported({ error: `the results of ${lost.length} of ${input.total} items cannot be read`, isFinal: false })
      else if (stepAt(scope.plan, input.place).each?.pages === undefined) reported(joined(results))
      else
        void pageReport(services, store, input, results).then(reported, ({ message, thrown }: NoAnswer) =>
          reported({ error: message, thrown })
        )
    })
    return () => {
      isLeft = true
    }
  })

interface Reported extends Omit<Extract<EachEvent, { type: 'each.reported' }>, 'type' | 'at'> {
  save?(): void
}

/** One list of all results; marks stand where their masks are then. */
function joined(items: { output: string; outputMarks?: SecretMark[] }[]) {
  const marks: SecretMark[] = []
  let at = 1
  for (const { output, outputMarks = [] } of items) {
    for (const mark of outputMarks) marks.push({ ...mark, at: mark.at + at })
    at += Buffer.byteLength(output) + 1
  }
  const output = `[${items.map(({ output }) => output).join(',')}]`
  return { output, ...(marks.length > 0 ? { outputMarks: marks } : {}) }
}

const placeIn = (services: Services, { run, place }: EachInput) => {
  const scope = services.scope(run)
  return { scope, step: stepAt(scope.plan, place) }
}

const hashOf = (item: Json): string =>
  createHash('sha256').update(JSON.stringify(item)).digest('base64url').slice(0, 22)
