/** The steps that wait for the visitor: asked for once for the whole page, again and again, and whenever an event says so. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import type { Waiting } from '../answers.ts'
import { ask, type Request, whenChanged } from '../api.ts'
import { whenWaitsChange } from '../feed.ts'
import { usePolledAnswer } from '../polling.ts'
import { useMayWith } from '../session.ts'
import { setTitleCount } from '../title.ts'

/** More are in the list of runs. */
const MOST = 100

interface Part {
  waiting: Waiting[]
  nextCursor: string | null
}

/** A part with few steps need not be the last one. */
async function gathered(path: string, request?: Request): Promise<Part> {
  const waiting: Waiting[] = []
  let cursor = ''
  do {
    const part = await ask<Part>(`${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, request)
    for (const found of part.waiting) waiting.push(found)
    cursor = part.nextCursor ?? ''
  } while (cursor !== '' && waiting.length < MOST)
  return { waiting, nextCursor: cursor || null }
}

interface Waits {
  /** The steps that the visitor may answer. */
  mine: readonly Waiting[]
  /** There are more than were asked for. */
  isPart: boolean
  refresh: () => void
}

const WaitsContext = createContext<Waits>({ mine: [], isPart: false, refresh() {} })
export const useWaits = (): Waits => useContext(WaitsContext)

// D1711: what waits for the visitor is what they may answer
export function WithWaits({ children }: { children: ComponentChildren }) {
  const { value, refresh } = usePolledAnswer<Part>(`/waiting?limit=${MOST}`, undefined, gathered)
  const mayRun = useMayWith('run')
  useEffect(() => {
    const ends = [whenWaitsChange(refresh), whenChanged(refresh)]
    return () => {
      for (const end of ends) end()
    }
  }, [refresh])
  // An answer of an unexpected shape is no reason to show nothing else.
  const all = Array.isArray(value?.waiting) ? value.waiting : []
  const mine = all.filter(mayRun)
  useEffect(() => {
    setTitleCount(mine.length)
    return () => setTitleCount(0)
  }, [mine.length])
  return (
    <WaitsContext.Provider value={{ mine, isPart: value?.nextCursor != null, refresh }}>
      {children}
    </WaitsContext.Provider>
  )
}
