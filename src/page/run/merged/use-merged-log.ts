/** The lines of several logs of a run by time, read from the beginning and then as they are written. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ask, type Refusal, refusalOf } from '../../api.ts'
import { pause } from '../../clock.ts'

const LOOK_MS = 800
const AT_ONCE = 10_000
/** More are dropped, the oldest first: each log by itself is shown in any length. */
const MOST_KEPT = 20_000

/** A line as the API has it. */
interface Line {
  step: string
  stream: 'stdout' | 'stderr'
  /** Empty: unknown. */
  at: string
  text: string
}
interface Part {
  lines: Line[]
  cursor: string
  hasMore: boolean
}

/** `key` counts all lines from 0 on, with those that were dropped. */
export interface MergedLine extends Line {
  key: number
}

export interface MergedLog {
  lines: readonly MergedLine[]
  /** What was there at first has been read. */
  isLoaded: boolean
  refusal: Refusal | undefined
}

const NOTHING: MergedLog = { lines: [], isLoaded: false, refusal: undefined }

/**
 * @param path of the run in the API
 * @param steps none: all of them
 * @param stream empty: both
 * @param isGrowing the run is not over
 * @param key of these logs: with another one they are read from their beginning
 */
export function useMergedLog(
  path: string,
  steps: readonly string[],
  stream: string,
  isGrowing: boolean,
  key: string
): MergedLog {
  const read = useMemo((): { lines: MergedLine[]; cursor: string } => ({ lines: [], cursor: '' }), [key])
  const [{ of, shown }, set] = useState<{ of: typeof read; shown: MergedLog }>({ of: read, shown: NOTHING })
  useEffect(() => {
    const setShown = (change: (before: MergedLog) => MergedLog) =>
      set((before) => ({ of: read, shown: change(before.of === read ? before.shown : NOTHING) }))
    const ended = new AbortController()
    const { signal } = ended
    /** Resolves with whether there is more to read at once. */
    async function look(): Promise<boolean> {
      const query = new URLSearchParams([
        ...steps.map((step) => ['step', step]),
        ...Object.entries({ stream, cursor: read.cursor, limit: String(AT_ONCE) }).filter(([, value]) => value !== '')
      ])
      const { lines, cursor, hasMore } = await ask<Part>(`${path}/log/merged?${query}`, { signal })
      if (signal.aborted) return false
      const first = (read.lines.at(-1)?.key ?? -1) + 1
      const all = [...read.lines, ...lines.map((line, at) => ({ ...line, key: first + at }))]
      read.lines = all.slice(-MOST_KEPT)
      read.cursor = cursor
      setShown((before) =>
        before.isLoaded && before.refusal === undefined && lines.length === 0
          ? before
          : { lines: read.lines, isLoaded: before.isLoaded || !hasMore, refusal: undefined }
      )
      return hasMore
    }
    async function always(): Promise<void> {
      let hasMore = false
      do {
        try {
          hasMore = await look()
        } catch (error) {
          if (signal.aborted) return
          hasMore = false
          setShown((before) => ({ ...before, refusal: refusalOf(error) }))
        }
        if (isGrowing && !hasMore) await pause(LOOK_MS, signal)
      } while ((isGrowing || hasMore) && !signal.aborted)
    }
    void always()
    return () => ended.abort()
  }, [read, path, isGrowing])
  return of === read ? shown : NOTHING
}
