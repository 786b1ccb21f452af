/** What is known of a step of a run. */
import type { ConditionShape, SubRun } from '../answers.ts'
import { useNow } from '../parts/now.ts'
import { Status } from '../parts/status.tsx'
import { runLink } from '../route.ts'
import { lengthText, timeText } from '../text.ts'
import { Code, Facts } from './facts.tsx'
import type { NodeMoment } from './moment.ts'

/** @param at the moment that is looked at; undefined: now */
export function NodeFacts({
  node,
  label,
  startedAt,
  finishedAt,
  retryCount,
  error,
  at
}: NodeMoment & { at: number | undefined }) {
  const { step, subRuns, subRunsRepeated, doneCount } = node
  const isMoving = at === undefined && startedAt !== undefined && finishedAt === undefined && label === 'running'
  const now = useNow(isMoving)
  const took = startedAt === undefined ? undefined : lengthText((finishedAt ?? at ?? now) - startedAt)
  const { retryPolicy } = step
  return (
    <>
      {error !== '' && <p class="problem">{error}</p>}
      {step.description && <p>{step.description}</p>}
      <Facts
        rows={[
          ['Began', startedAt === undefined ? undefined : timeText(startedAt, now)],
          [finishedAt === undefined ? 'So far' : 'Took', took],
          ['Tried again', retryCount > 0 ? `${retryCount} times` : undefined],
          ['Passes', doneCount > 1 ? String(doneCount) : undefined],
          ['Retries', retryPolicy && `up to ${retryPolicy.limit}, ${retryPolicy.intervalSec} s apart`],
          ['After', step.depends?.join(', ')],
          ['Executor', step.executor?.type],
          ['Calls', step.call],
          ['Output to', step.output],
          ['Conditions', step.preconditions && <Conditions all={step.preconditions} />]
        ]}
      />
      <Code text={step.script ?? step.cmdWithArgs} />
      <SubRuns all={[...subRuns, ...subRunsRepeated]} />
    </>
  )
}

export const Conditions = ({ all }: { all: readonly ConditionShape[] }) => (
  <ul class="conditions">
    {all.map(({ condition, expected, matched, error }, at) => (
      // The same condition may stand twice.
      <li key={at}>
        <code>{condition}</code> {expected !== '' && <code>{expected}</code>}{' '}
        {matched !== undefined && <b>{matched ? 'met' : 'not met'}</b>}{' '}
        {error !== '' && <span class="soft">{error}</span>}
      </li>
    ))}
  </ul>
)

const SubRuns = ({ all }: { all: readonly SubRun[] }) =>
  all.length === 0 ? null : (
    <section>
      <h3>Sub runs</h3>
      <ul class="plain-list">
        {all.map(({ name, dagRunId, params, statusLabel }) => (
          <li key={dagRunId}>
            <Status label={statusLabel} /> <a href={runLink({ name, dagRunId })}>{name}</a> <code>{params}</code>
          </li>
        ))}
      </ul>
    </section>
  )
