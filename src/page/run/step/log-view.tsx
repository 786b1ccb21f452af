/** The end of a log, followed while it grows. Its content is only ever text. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { LogChunk } from '../../answers.ts'
import { ask, type Refusal, refusalOf } from '../../api.ts'
import { pause } from '../../clock.ts'
import { Problem } from '../../parts/problem.tsx'
import { painted } from './painted.ts'

interface Props {
  /** Of the log in the API. */
  path: string
  query?: Record<string, string>
  /** Its writer is still running. */
  isGrowing: boolean
  label: string
}

const TAIL_LINES = 1_000
const MOST_LINES = 20_000
/** A view that lags further behind the writer than this starts over from the end. */
const FAR_BEHIND = 100_000
const LOOK_MS = 800
const NO_LINES: readonly string[] = []

interface Log {
  lines: readonly string[]
  /** Number of the first line that is shown. */
  first: number
}

export function LogView({ path, query = {}, isGrowing, label }: Props) {
  const [{ lines, first }, setLog] = useState<Log>({ lines: NO_LINES, first: 1 })
  const [refusal, setRefusal] = useState<Refusal>()
  const [isLoaded, setLoaded] = useState(false)
  const place = useRef({ address: '', total: 0 })
  const box = useRef<HTMLPreElement>(null)
  const isAtEnd = useRef(true)
  const parts = useMemo(() => painted(lines.join('\n')), [lines])
  const address = `${path}?${new URLSearchParams(query)}`

  useEffect(() => {
    const ended = new AbortController()
    if (place.current.address !== address) {
      place.current = { address, total: 0 }
      setLog({ lines: NO_LINES, first: 1 })
      setLoaded(false)
      setRefusal(undefined)
    }
    /** Resolves with whether more can be read at once. */
    async function look(): Promise<boolean> {
      const { total } = place.current
      const part = total === 0 ? { tail: String(TAIL_LINES) } : { offset: String(total + 1), limit: '10000' }
      const chunk = await ask<LogChunk>(`${path}?${new URLSearchParams({ ...query, ...part })}`, {
        signal: ended.signal
      })
      // Another log is shown by now.
      if (ended.signal.aborted) return false
      const { lineCount, totalLines, isEstimate } = chunk
      const through = total === 0 ? totalLines : total + lineCount
      const isLost = totalLines < through || totalLines - through > FAR_BEHIND
      // With an estimated count the number of the next line is unknown, so the end is read again; also when the file was replaced.
      place.current.total = isEstimate || isLost ? 0 : through
      if (isLost) return true
      setLoaded(true)
      setRefusal(undefined)
      if (lineCount === 0 && total > 0) return false
      const more = chunk.content.split('\n').slice(0, lineCount)
      setLog((log) => {
        const all = [...(total === 0 ? [] : log.lines), ...more]
        const lines = all.slice(-MOST_LINES)
        return { lines, first: through - lines.length + 1 }
      })
      return total > 0 && chunk.hasMore && !isEstimate
    }
    async function always(): Promise<void> {
      let isBehind = false
      do {
        try {
          isBehind = await look()
        } catch (error) {
          if (ended.signal.aborted) return
          setRefusal(refusalOf(error))
          isBehind = false
        }
        if (isGrowing && !isBehind) await pause(LOOK_MS, ended.signal)
      } while ((isGrowing || isBehind) && !ended.signal.aborted)
    }
    void always()
    return () => ended.abort()
  }, [address, isGrowing])

  useEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines])

  return (
    <div class="log">
      <Problem refusal={refusal} />
      {first > 1 && (
        <p class="soft">
          Last {lines.length} lines; {first - 1} earlier lines are not shown.
        </p>
      )}
      {lines.length === 0 && !refusal ? (
        <p class="soft">{isLoaded ? (isGrowing ? 'Nothing yet.' : 'The log is empty.') : '…'}</p>
      ) : (
        <pre
          ref={box}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
          tabIndex={0}
          role="log"
          aria-label={label}
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24
          }}
        >
          {parts.map(({ text, look }) => (look === '' ? text : <span class={look}>{text}</span>))}
        </pre>
      )}
    </div>
  )
}
