/** The order of a list: by a press on the head of a column, and where a head has no room, by a choice. It is in the address. */
import { changeQuery } from '../route.ts'

export type Order = 'asc' | 'desc'

export interface Sorting<By extends string> {
  /** Undefined: the list has the order that it comes in. */
  by: By | undefined
  order: Order
  /** By what it can be sorted, each with its name and the order of the first press. */
  columns: Record<By, { text: string; first: Order }>
}

export function sortingOf<By extends string>(
  query: URLSearchParams,
  columns: Record<By, { text: string; first: Order }>
): Sorting<By> {
  const by = (Object.keys(columns) as By[]).find((name) => name === query.get('sort'))
  const asked = query.get('order')
  const order = asked === 'asc' || asked === 'desc' ? asked : by === undefined ? 'asc' : columns[by].first
  return { by, order, columns }
}

interface HeadProps<By extends string> {
  sorting: Sorting<By>
  column: By
  /** Only where there is much room. */
  isWide?: boolean
}

/** The head of a column: the first press sorts by it, the next one turns the order around. */
export function SortHead<By extends string>({
  sorting: { by, order, columns },
  column,
  isWide = false
}: HeadProps<By>) {
  const { text, first } = columns[column]
  const isBy = by === column
  const next = isBy ? (order === 'asc' ? 'desc' : 'asc') : first
  return (
    <th
      scope="col"
      class={isWide ? 'wide' : undefined}
      aria-sort={isBy ? (order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <button type="button" class="sort" onClick={() => changeQuery({ sort: column, order: next, page: undefined })}>
        {text}
        <span aria-hidden="true">{isBy ? (order === 'asc' ? '▲' : '▼') : '↕'}</span>
      </button>
    </th>
  )
}

/** The choice of the order where a table has no heads, or not all of them. @param none the order that the list comes in */
export function SortFilter<By extends string>({
  sorting: { by, columns },
  none
}: {
  sorting: Sorting<By>
  none: string
}) {
  return (
    <label class="field narrow">
      <span class="unseen">Order</span>
      <select
        value={by ?? ''}
        onChange={({ currentTarget }) => changeQuery({ sort: currentTarget.value, order: undefined, page: undefined })}
      >
        <option value="">{none}</option>
        {(Object.keys(columns) as By[]).map((column) => (
          <option key={column} value={column}>
            By {columns[column].text.toLowerCase()}
          </option>
        ))}
      </select>
    </label>
  )
}
