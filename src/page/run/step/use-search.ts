/** Finds a text in all lines of a log, loaded or not: the server is asked for them one part after the other. */
import { useEffect, useState } from 'preact/hooks'
import type { LogChunk } from '../../answers/runs.ts'
import { ask } from '../../api.ts'
import { pause } from '../../clock.ts'
import { plainLine } from './painted.ts'

const PART_LINES = 10_000
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
const NONE: Finds = { lines: [], count: 0, searched: 0, isDone: true }

// D1203
/** @param text in lower case; empty: nothing is searched @param total how many lines there are: new ones are searched, too */
export function useSearch(path: string, stream: string, text: string, total: number): Finds {
  const [finds, setFinds] = useState<Finds & { text: string }>({ ...NONE, text: '' })
  useEffect(() => {
    if (text === '') return setFinds({ ...NONE, text })
    const ended = new AbortController()
    const { signal } = ended
    const known = finds.text === text ? finds : { ...NONE, text }
    async function search(): Promise<void> {
      await pause(TYPING_MS, signal)
      let { searched, count } = known
      const lines = [...known.lines]
      while (!signal.aborted && searched < total) {
        const query = { ...(stream && { stream }), offset: String(searched + 1), limit: String(PART_LINES) }
        const part = await ask<LogChunk>(`${path}?${new URLSearchParams(query)}`, { signal })
        if (part.lineCount === 0) break
        for (const [at, line] of part.content.split('\n').slice(0, part.lineCount).entries()) {
          if (!plainLine(line).toLowerCase().includes(text)) continue
          count++
          if (lines.length < MOST_FINDS) lines.push(searched + at)
        }
        searched += part.lineCount
        setFinds({ lines: [...lines], count, searched, isDone: searched >= total, text })
      }
      if (!signal.aborted) setFinds({ lines, count, searched, isDone: true, text })
    }
    // What cannot be read is said by the log itself.
    search().catch(() => {})
    return () => ended.abort()
  }, [path, stream, text, total])
  return finds.text === text ? finds : { ...NONE, isDone: text === '' }
}
