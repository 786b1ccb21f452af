/** Results of the items of steps with `each`: each is stored when it has succeeded. Source: docs/executors/function.md. */
import type { NodePlace, RunKey } from '../../machines/vocabulary.ts'
import type { Changes } from './changes.ts'
import { readRange } from './damage/damaged.ts'
import type { ItemKey, Store } from './open.ts'
import type { StoredItem } from './stored.ts'

/** The place of a page behind its items, of which there are fewer. */
export const PAGE = 1_000_000

/** The page of a pass: its items until it is complete, then what its step has come to. */
export const pageOf = (
  store: Pick<Store, 'items'>,
  { name, dagRunId }: RunKey,
  place: NodePlace,
  pass: number
): StoredItem | undefined =>
  readRange<StoredItem, ItemKey>(store.items, {
    start: [name, dagRunId, place, pass, PAGE],
    end: [name, dagRunId, place, pass, Number.MAX_VALUE]
  })[0]?.value

/** By index. One that cannot be read counts as absent. */
export const itemsOf = (
  store: Pick<Store, 'items'>,
  { name, dagRunId }: RunKey,
  place: NodePlace,
  pass: number
): Map<number, StoredItem> =>
  new Map(
    readRange<StoredItem, ItemKey>(store.items, {
      start: [name, dagRunId, place, pass, 0],
      end: [name, dagRunId, place, pass, PAGE]
    }).map(({ key, value }) => [key[4], value])
  )

/** @param value undefined: removed */
export function putItem(
  changes: Changes,
  { name, dagRunId }: RunKey,
  [place, pass, index]: [NodePlace, number, number],
  value: StoredItem | undefined
): void {
  changes.items ??= new Map()
  changes.items.set(`run/${name}/${dagRunId}/${place}/${pass}/${index}`, {
    key: [name, dagRunId, place, pass, index],
    value
  })
}
