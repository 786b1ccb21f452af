/** What is known of a step of a run. */
import type { ConditionShape, Step, SubRunRef, ThrownShape } from '../../answers.ts'
import { CopyButton } from '../../parts/copy/copy-button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { useNow } from '../../parts/now.ts'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { runLink } from '../../route.ts'
import { instant, lengthText } from '../../text.ts'
import { Code, Facts } from '../facts.tsx'
import type { NodeMoment } from '../moment.ts'
import { timesText } from './retries.ts'

/** @param at the moment that is shown; undefined: now @param isErrorShown the card of the failure has it */
export function NodeFacts({
  node,
  label,
  startedAt,
  finishedAt,
  retries,
  doneCount,
  error,
  isAsNow,
  at,
  isErrorShown
}: NodeMoment & { at: number | undefined; isErrorShown: boolean }) {
  const { step, subRuns, subRunsRepeated, thrown } = node
  const isMoving = at === undefined && startedAt !== undefined && finishedAt === undefined && label === 'running'
  const now = useNow(isMoving)
  const took = startedAt === undefined ? undefined : lengthText((finishedAt ?? at ?? now) - startedAt)
  const { retryPolicy } = step
  const { made = 0, isWaiting = false } = retries ?? {}
  return (
    <>
      {error !== '' && !isErrorShown && (
        <p class="problem">
          <LongText text={error} label="Error" /> <CopyButton text={error} what="error" />
        </p>
      )}
      {step.description && (
        <p>
          <LongText text={step.description} label="Description" />
        </p>
      )}
      <Facts
        rows={[
          ['Started', startedAt === undefined ? undefined : <Time at={startedAt} today={now} />],
          ['Duration', took],
          made > 0 && step.repeatPolicy
            ? ['Retried', timesText(made)]
            : ['Attempts', made > 0 ? String(made + 1) : undefined],
          ['Waiting for', isWaiting ? `Retry ${made + 1}${retryPolicy ? ` of ${retryPolicy.limit}` : ''}` : undefined],
          [
            'Sleeps until',
            isAsNow && node.waitingFor?.for === 'sleep' ? (
              <Time at={instant(node.waitingFor.until)} today={now} />
            ) : undefined
          ],
          ['Answered by', isAsNow && node.given ? node.given.by || 'somebody who did not have to sign in' : undefined],
          ['Answered', isAsNow && node.given ? <Time at={instant(node.given.at)} today={now} /> : undefined],
          [
            'Answer',
            isAsNow && node.given ? <LongText text={node.given.payload} label="Payload as JSON" isCode /> : undefined
          ],
          ['Passes', doneCount > 1 ? String(doneCount) : undefined],
          ['Retry policy', retryPolicy && policyText(retryPolicy)],
          [
            'Depends on',
            step.depends?.length ? <LongText text={step.depends.join(', ')} label="Steps before it" /> : undefined
          ],
          ['Executor', step.executor?.type],
          ['Calls', step.call],
          [
            'Stack',
            isAsNow && thrown?.some(({ stack }) => stack) ? (
              <LongText text={stacksOf(thrown)} label="Stack" isCode />
            ) : undefined
          ],
          ['Output variable', step.output],
          ['Preconditions', step.preconditions && <Conditions all={step.preconditions} isAsNow={isAsNow} />]
        ]}
      />
      <Code text={step.script ?? step.cmdWithArgs} what="command" />
      {isAsNow && <SubRuns all={[...subRuns, ...subRunsRepeated]} />}
    </>
  )
}

const policyText = ({ limit, intervalSec }: NonNullable<Step['retryPolicy']>): string =>
  String(limit) === '1' ? `1 retry, after ${intervalSec} s` : `Up to ${limit} retries, ${intervalSec} s apart`

/** Stacks of the error that a function has thrown, and of its causes. */
const stacksOf = (thrown: readonly ThrownShape[]): string =>
  thrown.map(({ name, message, stack = '' }) => `${name}: ${message}\n${stack}`).join('\ncaused by ')

/** @param isAsNow their results were known at the moment that is shown */
export const Conditions = ({ all, isAsNow }: { all: readonly ConditionShape[]; isAsNow: boolean }) => (
  <ul class="conditions">
    {all.map(({ condition, expected, matched, error }, at) => (
      // A condition may occur twice.
      <li key={at}>
        <LongText text={condition} label="Condition" isCode />{' '}
        {expected !== '' && <LongText text={expected} label="Expected" isCode />}{' '}
        {isAsNow && matched !== undefined && <b>{matched ? 'Met' : 'Not met'}</b>}{' '}
        {isAsNow && error !== '' && (
          <span class="soft">
            <LongText text={error} label="Why it is not met" />
          </span>
        )}
      </li>
    ))}
  </ul>
)

/** A longer list scrolls. */
const FEW = 12

const SubRuns = ({ all }: { all: readonly SubRunRef[] }) =>
  all.length === 0 ? null : (
    <section>
      <h3>Sub runs{all.length > FEW && `: ${all.length}`}</h3>
      <div class={all.length > FEW ? 'long' : ''} tabIndex={all.length > FEW ? 0 : undefined}>
        <ul class="plain-list">
          {all.map(({ name, dagRunId, params, statusLabel, waitingFor }) => (
            <li key={dagRunId}>
              <Status label={statusLabel} waitingFor={waitingFor} /> <a href={runLink({ name, dagRunId })}>{name}</a>{' '}
              <LongText text={params} label={`Parameters of ${name}`} isCode />
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
