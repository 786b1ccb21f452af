/** The attempts of a step that failed, side by side: when, how long, how each ended, and the last lines that it wrote. */
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { AttemptColumn } from './attempt-column.tsx'
import { newLines, type StepAttempt } from './attempts.ts'

/** Shown at first, and by each press on what shows earlier ones. */
const SOME = 4

interface Props {
  /** Path of the run in the API. */
  path: string
  step: string
  /** Number of the latest attempt of the run. */
  latest: number
  /** Oldest first. */
  attempts: readonly StepAttempt[]
}

export function AttemptColumns({ path, step, latest, attempts }: Props) {
  const [most, setMost] = useState(SOME)
  const [lines, setLines] = useState<ReadonlyMap<number, readonly string[]>>(new Map())
  const row = useRef<HTMLOListElement>(null)
  const hidden = Math.max(0, attempts.length - most)
  const shown = attempts.slice(hidden)
  const count = attempts.length
  // The newest is in sight, until earlier ones are asked for.
  useLayoutEffect(() => (row.current ? keepAtEnd(row.current) : undefined), [count])
  useLayoutEffect(() => {
    if (most > SOME) row.current?.querySelector('button')?.focus()
  }, [most])
  const learn = useCallback(
    (end: number, found: readonly string[]) => setLines((before) => new Map(before).set(end, found)),
    []
  )
  const news = shown.map(({ end }, at) => {
    const [before, own] = [lines.get(shown[at - 1]?.end ?? -1), lines.get(end)]
    return before && own ? newLines(before, own) : []
  })
  return (
    <div class="attempts">
      {hidden > 0 && (
        <button type="button" class="link" onClick={() => setMost(most + SOME)}>
          Show {Math.min(SOME, hidden)} of {hidden} earlier attempt{hidden > 1 && 's'}
        </button>
      )}
      <ol ref={row} aria-label={`Attempts of ${step}`}>
        {shown.map((attempt, at) => (
          <AttemptColumn
            key={attempt.end}
            path={path}
            step={step}
            latest={latest}
            attempt={attempt}
            all={attempts}
            news={news[at] ?? []}
            onLines={learn}
          />
        ))}
      </ol>
      {news.some((them) => them.includes(true)) && (
        <p class="soft">Marked: lines that the attempt before it did not have.</p>
      )}
    </div>
  )
}

/** Scrolls to the end of a row wider than its place, also when the place changes its width, until somebody scrolls. @returns ends that */
function keepAtEnd(row: HTMLElement): () => void {
  let width = row.clientWidth
  let isAtEnd = true
  const toEnd = () => {
    width = row.clientWidth
    if (isAtEnd) row.scrollLeft = row.scrollWidth
  }
  const look = () => {
    // With another width it is not somebody who scrolls.
    if (row.clientWidth === width) isAtEnd = row.scrollLeft + width >= row.scrollWidth - 2
  }
  toEnd()
  const sizes = new ResizeObserver(toEnd)
  sizes.observe(row)
  row.addEventListener('scroll', look)
  return () => {
    sizes.disconnect()
    row.removeEventListener('scroll', look)
  }
}
