/** The attempts of a step that did not fail in the end, side by side; nothing where there was one. */
import { useMemo } from 'preact/hooks'
import type { JournalEvent } from '../../answers.ts'
import { AttemptColumns } from './attempt-columns.tsx'
import { attemptsOf } from './attempts.ts'

interface Props {
  /** Path of the run in the API. */
  path: string
  step: string
  /** Number of the latest attempt of the run. */
  latest: number
  events: readonly JournalEvent[]
  /** `seq` of the event that is shown; undefined: now. */
  at: number | undefined
}

export function AttemptsCard({ path, step, latest, events, at }: Props) {
  const attempts = useMemo(
    () => attemptsOf(events, step, at ?? Number.POSITIVE_INFINITY, latest),
    [events, step, at, latest]
  )
  if (attempts.length < 2) return null
  return (
    <section aria-label="Attempts">
      <h3>Attempts</h3>
      <AttemptColumns path={path} step={step} latest={latest} attempts={attempts} />
    </section>
  )
}
