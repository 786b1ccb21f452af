/** The flag above the time line: to the first failure of a run, and from each to the next one. */
import { useMemo } from 'preact/hooks'
import type { JournalEvent } from '../../answers.ts'
import { isPlain, usePageKey } from '../../keys.ts'
import { Icon } from '../../parts/icon.tsx'
import { failureFrom, failuresOf } from './failures.ts'

interface Props {
  events: readonly JournalEvent[]
  /** `seq` of the event that is shown; undefined: now. */
  at: number | undefined
  /** @param step undefined: it is the run itself that failed */
  onFailure: (seq: number, step: string | undefined) => void
}

export function FailureFlag({ events, at, onFailure }: Props) {
  const failures = useMemo(() => failuresOf(events), [events])
  const go = (direction: 1 | -1) => {
    const failure = failures[failureFrom(failures, at, direction)]
    if (failure) onFailure(failure.seq, failure.step)
  }
  usePageKey({
    isWanted: (event) => event.key === 'F8' && isPlain(event),
    act: ({ shiftKey }) => go(shiftKey ? -1 : 1)
  })
  const here = failures.findIndex(({ seq }) => seq === at)
  // The graph has a button to its next failure, too.
  const text = failureFrom(failures, at, 1) > 0 ? 'Next failure in time' : 'First failure'
  return (
    <>
      <button
        type="button"
        class="plain round"
        aria-label={text}
        title={`${text} (F8)`}
        disabled={failures.length === 0}
        onClick={() => go(1)}
      >
        <Icon name="flag" />
      </button>
      <span class="failure-place" role="status">
        {here >= 0 && (
          <>
            <span class="unseen">Failure </span>
            {here + 1} of {failures.length}
          </>
        )}
      </span>
    </>
  )
}
