/** Where the visitor is: all of it is in the fragment of the address, so that every view can be linked to. */
import { useEffect, useState } from 'preact/hooks'
import { greet } from './history/greeting.ts'
import { arrive, keepScroll, scrollBack } from './history/kept.ts'

export interface Route {
  /** Decoded, e.g. `['runs', 'etl', '01a1']`. */
  parts: string[]
  query: URLSearchParams
}

type Query = Record<string, string | string[] | undefined>

/** Address of a view. Empty members of `query` are left out. */
export function linkTo(parts: readonly string[], query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).filter((text) => text !== '').map((text) => [key, text])
  )
  const search = new URLSearchParams(pairs).toString()
  return `#${parts.map((part) => `/${encodeURIComponent(part)}`).join('')}${search === '' ? '' : `?${search}`}`
}

export function readRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split(/\?(.*)/s, 2)
  return {
    parts: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    query: new URLSearchParams(search)
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The current route. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => {
    arrive()
    return readRoute(location.hash)
  })
  useEffect(() => {
    keepScroll()
    let before = placeOf(location.hash)
    const changed = () => {
      const wasHere = arrive()
      setRoute(readRoute(location.hash))
      const place = placeOf(location.hash)
      const isNew = place !== before
      before = place
      if (!isNew) return
      if (wasHere) scrollBack()
      else scrollTo(0, 0)
      greet()
    }
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return route
}

/** The view, whatever is selected in it. */
const placeOf = (hash: string): string => hash.split('?', 1)[0] ?? ''

export const go = (link: string): void => {
  location.hash = link
}

/** Address of what is shown with other members of the query. */
export function queryLink(changes: Query): string {
  const { parts, query } = readRoute(location.hash)
  const kept: Record<string, string[]> = {}
  for (const key of query.keys()) kept[key] = query.getAll(key)
  return linkTo(parts, { ...kept, ...changes })
}

// D1293: a choice within a view is an entry of the browser's history
/**
 * Changes members of the query.
 * @param how `push`: Back undoes it; `replace`: it goes on with the change before, as when something is typed or played
 */
export function changeQuery(changes: Query, how: 'push' | 'replace' = 'push'): void {
  const link = queryLink(changes)
  if (link === location.hash) return
  if (how === 'push') history.pushState(null, '', link)
  else history.replaceState(history.state, '', link)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

export const runLink = ({ name, dagRunId }: { name: string; dagRunId: string }, query?: Query): string =>
  linkTo(['runs', name, dagRunId], query)
