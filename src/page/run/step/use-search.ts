/** Finds a text in all lines of a log, loaded or not: the server searches one part after the other. */
import { useEffect, useState } from 'preact/hooks'
import type { LogFinds } from '../../answers/runs.ts'
import { ask } from '../../api.ts'
import { pause } from '../../clock.ts'

/** Of one answer. */
const PART_FINDS = '10000'
/** While somebody is typing, nothing is asked for. */
const TYPING_MS = 250
/** Of more, only how many there are is known. */
const MOST_FINDS = 100_000

export interface Finds {
  /** Numbers of the lines, from 0 on. */
  lines: readonly number[]
  count: number
  /** Lines that were searched so far. */
  searched: number
  isDone: boolean
}
/** What finds belong to. */
interface Asked {
  text: string
  total: number
}
const NONE: Finds = { lines: [], count: 0, searched: 0, isDone: true }

/** @param text in lower case; empty: nothing is searched @param total how many lines there are: new ones are searched, too */
export function useSearch(path: string, stream: string, text: string, total: number): Finds {
  const [finds, setFinds] = useState<Finds & Asked>({ ...NONE, text: '', total })
  useEffect(() => {
    if (text === '') return setFinds({ ...NONE, text, total })
    const ended = new AbortController()
    const { signal } = ended
    // Of a log that has been replaced by a shorter one, nothing is known.
    const known = finds.text === text && finds.total <= total ? finds : NONE
    async function search(): Promise<void> {
      await pause(TYPING_MS, signal)
      let { searched } = known
      // The last line is searched anew: its end may not have been written before.
      const lines = known.lines.filter((line) => line < searched)
      let count = known.count - known.lines.length + lines.length
      let isDone = searched >= total
      while (!signal.aborted && !isDone) {
        const query = { ...(stream && { stream }), text, offset: String(searched + 1), limit: PART_FINDS }
        const part = await ask<LogFinds>(`${path}/search?${new URLSearchParams(query)}`, { signal })
        count += part.lines.length
        for (const line of part.lines) if (lines.length < MOST_FINDS) lines.push(line - 1)
        searched = part.nextOffset - 1
        isDone = !part.hasMore
        setFinds({ lines: [...lines], count, searched, isDone, text, total })
      }
    }
    // What cannot be read is said by the log itself.
    search().catch(() => {})
    return () => ended.abort()
  }, [path, stream, text, total])
  return finds.text === text ? finds : { ...NONE, isDone: text === '' }
}
