/**
 * What a component shows of the API: the latest answer, or why there is none. An answer belongs to its address: that of another run,
 * step, filter or moment is never shown in its place.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, type Refusal, type Request, refusalOf } from './api.ts'
import { pause } from './clock.ts'

/** A server that did not answer is asked again by itself: no event says that it is back. */
const AGAIN_MS = 2_000

export interface Answered<T> {
  /** The latest answer of this address; it stays while a newer one is loading, and while the server is unreachable. */
  value?: T
  refusal?: Refusal
  /** Asks again. */
  refresh: () => void
}

export type Load<T> = (path: string, request: Request) => Promise<T>

// D920: a value on the page belongs to its address
/**
 * Fetches `path` when it changes, whenever `refresh` is called, and as long as nobody answers; one request at a time, and one more when
 * `refresh` was called meanwhile.
 * @param path undefined: nothing is fetched
 * @param cause what the answer depends on: a change fetches it again
 * @param load how it is fetched, always the same; default: by one request
 */
export function useAnswer<T>(path: string | undefined, cause?: number | string, load: Load<T> = ask<T>): Answered<T> {
  const [state, setState] = useState<State<T>>({})
  const again = useRef(() => {})
  useEffect(() => {
    if (path === undefined) return setState({})
    const ended = new AbortController()
    let isBusy = false
    let isWanted = false
    let isToBeAsked = false
    const fetchIt = async () => {
      if (isBusy) {
        isWanted = true
        return
      }
      isBusy = true
      try {
        const value = await load(path, { signal: ended.signal })
        if (ended.signal.aborted) return
        setState({ path, value })
      } catch (error) {
        if (ended.signal.aborted) return
        const refusal = refusalOf(error)
        setState((before) => ({ ...(before.path === path ? before : {}), path, refusal }))
        if (refusal.status === 0) void askLater()
      }
      isBusy = false
      if (!isWanted) return
      isWanted = false
      void fetchIt()
    }
    async function askLater(): Promise<void> {
      if (isToBeAsked) return
      isToBeAsked = true
      await pause(AGAIN_MS, ended.signal)
      isToBeAsked = false
      if (!ended.signal.aborted) void fetchIt()
    }
    again.current = () => void fetchIt()
    void fetchIt()
    return () => {
      again.current = () => {}
      ended.abort()
    }
  }, [path])
  const refresh = useCallback(() => again.current(), [])
  const askedFor = useRef(cause)
  useEffect(() => {
    if (askedFor.current === cause) return
    askedFor.current = cause
    refresh()
  }, [cause, refresh])
  // Between a change of the address and its answer, the state is that of the address before.
  return { ...(state.path === path ? state : {}), refresh }
}

interface State<T> {
  path?: string
  value?: T
  refusal?: Refusal
}
