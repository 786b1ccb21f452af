/**
 * What a component shows of the API: the latest answer, or why there is none. An answer belongs to its address: that of another run,
 * step, filter or moment is never shown in its place.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, type Refusal, refusalOf } from './api.ts'

export interface Answered<T> {
  /** The latest answer of this address; it stays while a newer one is loading, and while the server is unreachable. */
  value?: T
  refusal?: Refusal
  /** Asks again. */
  refresh: () => void
}

// D920
/**
 * Fetches `path` when it changes and whenever `refresh` is called; one request at a time, and one more when `refresh` was called
 * meanwhile.
 * @param path undefined: nothing is fetched
 * @param cause what the answer depends on: a change fetches it again
 */
export function useAnswer<T>(path: string | undefined, cause?: number | string): Answered<T> {
  const [state, setState] = useState<State<T>>({})
  const again = useRef(() => {})
  useEffect(() => {
    if (path === undefined) return setState({})
    const ended = new AbortController()
    let isBusy = false
    let isWanted = false
    const load = async () => {
      if (isBusy) {
        isWanted = true
        return
      }
      isBusy = true
      try {
        const value = await ask<T>(path, { signal: ended.signal })
        if (ended.signal.aborted) return
        setState({ path, value })
      } catch (error) {
        if (ended.signal.aborted) return
        setState((before) => ({ ...(before.path === path ? before : {}), path, refusal: refusalOf(error) }))
      }
      isBusy = false
      if (!isWanted) return
      isWanted = false
      void load()
    }
    again.current = () => void load()
    void load()
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
