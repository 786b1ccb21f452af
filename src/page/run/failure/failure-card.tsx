/** A failed step: the last lines of each of its attempts, and what can be done about it. In its panel, and in that of its run. */
import { useMemo } from 'preact/hooks'
import type { JournalEvent, RunDetails } from '../../answers.ts'
import { CopyButton } from '../../parts/copy/copy-button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { changeQuery } from '../../route.ts'
import { Code } from '../facts.tsx'
import type { NodeMoment } from '../moment.ts'
import { NodeActions } from '../step/node-actions.tsx'
import { AttemptColumns } from './attempt-columns.tsx'
import { attemptsOf, reasonOf } from './attempts.ts'
import { useLastLines } from './last-lines.ts'

interface Props {
  /** Path of the run in the API. */
  path: string
  details: RunDetails
  /** The step, which failed in the latest of its attempts. */
  node: NodeMoment
  /** No other step failed before it. */
  isFirst: boolean
  /** The card is in the panel of the run, from where the step is one press away. */
  isInRun: boolean
  events: readonly JournalEvent[]
  /** `seq` of the event that is shown; undefined: now. */
  at: number | undefined
  onChanged: () => void
}

export function FailureCard({ path, details, node, isFirst, isInRun, events, at, onChanged }: Props) {
  const step = node.name
  const { lines, side } = useLastLines(path, step)
  const attempts = useMemo(
    () => attemptsOf(events, step, at ?? Number.POSITIVE_INFINITY, details.attempt),
    [events, step, at, details.attempt]
  )
  const isPast = at !== undefined
  const reason = reasonOf(node.error, step)
  const title = isFirst ? 'First failure' : 'Failure'
  return (
    <section class="failure-card" aria-label={title}>
      <h3>{isInRun ? `${title}: ${step}` : title}</h3>
      {attempts.length > 1 ? (
        <AttemptColumns path={path} step={step} latest={details.attempt} attempts={attempts} />
      ) : (
        <>
          {/* The explanation above has the code. */}
          {(isPast || !/^(?:exit status \d+)?$/.test(reason)) && (
            <p>
              <LongText text={reason} label="Error" />
            </p>
          )}
          <Code text={lines.join('\n')} what="last lines" />
        </>
      )}
      <div class="buttons">
        {isInRun && (
          <button type="button" class="button small" onClick={() => changeQuery({ step })}>
            Show the step
          </button>
        )}
        <button type="button" class="button small" onClick={() => changeQuery({ step, side: 'values' })}>
          Values
        </button>
        <button type="button" class="button small" onClick={() => changeQuery({ step, side })}>
          All of its {side === 'out' ? 'output' : 'errors'}
        </button>
        <CopyButton text={node.error} what="error" />
      </div>
      <NodeActions details={details} node={node} isPast={isPast} onChanged={onChanged} />
    </section>
  )
}
