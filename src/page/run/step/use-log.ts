/** A log of the API, of any length: how long it is, and the lines that somebody looks at, as they are written. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { LogChunk } from '../../answers.ts'
import { ask, type Refusal, refusalOf } from '../../api.ts'
import { pause } from '../../clock.ts'
import { CHUNK_LINES, LogLines } from './log-lines.ts'

const LOOK_MS = 800
const MOST_AT_ONCE = 10_000
/** With fewer, the last chunk or the one before it might be incomplete. */
const LAST_LINES = String(2 * CHUNK_LINES)
/** Beyond every log: the server then counts the lines of one that is so large that it would only estimate them. */
const FAR_LINE = '900000000000000'

export interface LiveLog {
  lines: LogLines
  /** The length is known. */
  isLoaded: boolean
  refusal: Refusal | undefined
  /** Loads lines `from` until before `until`, unless they are there. */
  want: (from: number, until: number) => void
}

const linesOf = ({ content, lineCount }: LogChunk): string[] => content.split('\n').slice(0, lineCount)

/**
 * @param path of the log in the API
 * @param stream empty: it has only one
 * @param isGrowing its writer is still running
 * @param attempt of the run; absent: the log has none
 */
export function useLog(path: string, stream: string, isGrowing: boolean, attempt?: number): LiveLog {
  const [lines] = useState(() => new LogLines())
  const [isLoaded, setLoaded] = useState(false)
  const [refusal, setRefusal] = useState<Refusal>()
  const [, changed] = useState(0)
  const wasRead = useRef(false)
  const wanted = useRef({ from: 0, until: 0, isBusy: false })
  const address = useCallback(
    (part: Record<string, string>) => {
      const ofAttempt = attempt === undefined ? {} : { attempt: String(attempt) }
      return `${path}?${new URLSearchParams({ ...(stream && { stream }), ...ofAttempt, ...part })}`
    },
    [path, stream, attempt]
  )

  const load = useCallback(async () => {
    const place = wanted.current
    if (place.isBusy) return
    place.isBusy = true
    try {
      // What is wanted may change meanwhile.
      while (true) {
        const first = lines.missing(place.from, place.until)
        if (first === undefined) break
        const part = { offset: String(first + 1), limit: String(CHUNK_LINES - (first % CHUNK_LINES)) }
        const found = await ask<LogChunk>(address(part))
        if (found.lineCount === 0) break
        lines.put(first, linesOf(found))
        lines.forget(place.from)
        changed((count) => count + 1)
      }
    } catch (error) {
      setRefusal(refusalOf(error))
    }
    place.isBusy = false
  }, [lines, address])

  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    /** Resolves with whether more can be read at once. */
    async function look(): Promise<boolean> {
      // The last line again: its end may not have been written before.
      const first = Math.max(0, lines.total - 1)
      const part = { offset: String(first + 1), limit: String(MOST_AT_ONCE) }
      const found = await ask<LogChunk>(address(lines.total === 0 ? { tail: LAST_LINES } : part), { signal })
      const isNew = lines.total === 0
      let { totalLines } = found
      if (isNew && found.isEstimate)
        totalLines = (await ask<LogChunk>(address({ offset: FAR_LINE, limit: '1' }), { signal })).totalLines
      if (signal.aborted) return false
      // The file was replaced.
      if (totalLines < lines.total && !found.isEstimate) lines.clear()
      const before = lines.total
      if (isNew || lines.total === 0) {
        lines.total = totalLines
        // Most readers begin at the end. Where these lines are in a log that has grown since is not known.
        if (isNew && !(found.isEstimate && isGrowing)) lines.put(totalLines - found.lineCount, linesOf(found))
      } else lines.put(first, linesOf(found))
      if (!found.isEstimate) lines.total = Math.max(lines.total, totalLines)
      wasRead.current = true
      setLoaded(true)
      setRefusal(undefined)
      if (isNew || lines.total !== before || found.lineCount > 0) changed((count) => count + 1)
      return !isNew && found.isEstimate && found.hasMore && found.lineCount > 1
    }
    async function always(): Promise<void> {
      let isBehind = false
      do {
        try {
          isBehind = await look()
        } catch (error) {
          if (signal.aborted) return
          isBehind = false
          const refused = refusalOf(error)
          // The log was there: what has become of its attempt is about to be heard.
          if (refused.status !== 404 || !wasRead.current) setRefusal(refused)
        }
        if (isGrowing && !isBehind) await pause(LOOK_MS, signal)
      } while ((isGrowing || isBehind) && !signal.aborted)
    }
    void always()
    return () => ended.abort()
  }, [lines, address, isGrowing])

  const want = useCallback(
    (from: number, until: number) => {
      Object.assign(wanted.current, { from, until })
      void load()
    },
    [load]
  )
  return { lines, isLoaded, refusal, want }
}
