/** Finds a text, or matches of a regular expression, in all lines of a log, loaded or not: the server searches one part after the other. */
import { useEffect, useState } from 'preact/hooks'
import type { LogFinds } from '../../answers.ts'
import { ask, refusalOf } from '../../api.ts'
import { pause } from '../../clock.ts'

/** Finds in one answer. */
const PART_FINDS = '10000'
/** While somebody is typing, nothing is asked for. */
const TYPING_MS = 250
/** Finds whose lines are known; of more, only how many there are. */
const MOST_FINDS = 100_000

export interface Finds {
  /** Numbers of the lines, from 0 on. */
  lines: readonly number[]
  count: number
  /** Lines that were searched so far. */
  searched: number
  isDone: boolean
  /** Why the server does not search for it. */
  wrong?: string
}
/** What finds belong to. */
interface Asked {
  text: string
  isRegex: boolean
  total: number
}
const NONE: Finds = { lines: [], count: 0, searched: 0, isDone: true }

interface Wanted {
  /** Empty: nothing is searched. */
  text: string
  /** The text is a regular expression. */
  isRegex: boolean
  /** How many lines there are: new ones are searched, too. */
  total: number
}

const BAD_REQUEST = 400

export function useSearch(path: string, stream: string, { text, isRegex, total }: Wanted): Finds {
  const [finds, setFinds] = useState<Finds & Asked>({ ...NONE, text: '', isRegex, total })
  const isSame = finds.text === text && finds.isRegex === isRegex
  useEffect(() => {
    if (text === '') return setFinds({ ...NONE, text, isRegex, total })
    const ended = new AbortController()
    const { signal } = ended
    // Nothing is known of a log that has been replaced by a shorter one.
    const known = isSame && finds.total <= total && finds.wrong === undefined ? finds : NONE
    async function search(): Promise<void> {
      await pause(TYPING_MS, signal)
      let { searched } = known
      // The last line is searched again: its end may not have been written before.
      const lines = known.lines.filter((line) => line < searched)
      let count = known.count - known.lines.length + lines.length
      let isDone = searched >= total
      while (!signal.aborted && !isDone) {
        const query = {
          ...(stream && { stream }),
          text,
          ...(isRegex && { regex: 'true' }),
          offset: String(searched + 1),
          limit: PART_FINDS
        }
        const part = await ask<LogFinds>(`${path}/search?${new URLSearchParams(query)}`, { signal })
        count += part.lines.length
        for (const line of part.lines) if (lines.length < MOST_FINDS) lines.push(line - 1)
        searched = part.nextOffset - 1
        isDone = !part.hasMore
        setFinds({ lines: [...lines], count, searched, isDone, text, isRegex, total })
      }
    }
    search().catch((error: unknown) => {
      const { status, message } = refusalOf(error)
      // What cannot be read is said by the log itself.
      if (signal.aborted || status !== BAD_REQUEST) return
      setFinds({ ...NONE, wrong: message.replace(/^text: /, ''), text, isRegex, total })
    })
    return () => ended.abort()
  }, [path, stream, text, isRegex, total])
  return isSame ? finds : { ...NONE, isDone: text === '' }
}
