/** What is known of a run as a whole. */
import type { RunDetails } from '../answers.ts'
import { pathOf } from '../api.ts'
import { CopyButton } from '../parts/copy/copy-button.tsx'
import { LongText } from '../parts/long-text.tsx'
import { useNow } from '../parts/now.ts'
import { Time } from '../parts/time.tsx'
import { stopperText, TriggeredBy } from '../parts/trigger.tsx'
import { linkTo } from '../route.ts'
import { instant } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { Facts } from './facts.tsx'
import { Conditions } from './step/node-facts.tsx'

interface Props {
  details: RunDetails
  /** The moment that is shown: what came later is left out; undefined: now. */
  at: number | undefined
  /** The card of the failure has it. */
  isErrorShown: boolean
}

export function RunFacts({ details, at, isErrorShown }: Props) {
  const { name, dagRunId, statusLabel, queuedAt, startedAt, finishedAt, params, error, preconditions, attempt } =
    details
  const { warnings = [], workerId = '', trigger, stoppedBy, at: notBefore = '', priority } = details
  const isAway = workerId !== '' && workerId !== 'local'
  const now = useNow(false)
  const isPast = at !== undefined
  const began = instant(startedAt)
  const hadBegun = began !== undefined && (at === undefined || began <= at)
  const isOver = !isPast && statusLabel !== 'running'
  const outputs = useOutputs(name, dagRunId, isOver ? finishedAt : '', attempt)
  return (
    <>
      {error !== '' && !isPast && !isErrorShown && (
        <p class="problem">
          <LongText text={error} label="Error" /> <CopyButton text={error} what="error" />
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} class="soft">
          Warning: {warning}
        </p>
      ))}
      <Facts
        rows={[
          ['ID', <code key="id">{dagRunId}</code>],
          ['Triggered by', trigger && <TriggeredBy key="trigger" trigger={trigger} now={now} />],
          ['Queued', queuedAt && <Time key="queued" at={instant(queuedAt)} today={now} />],
          ['Not before', notBefore && <Time key="not-before" at={instant(notBefore)} today={now} />],
          ['Priority', priority !== undefined && String(priority)],
          ['Started', hadBegun && <Time key="began" at={began} today={now} />],
          ['Ended', isOver && finishedAt && <Time key="ended" at={instant(finishedAt)} today={now} />],
          ['Stopped by', stoppedBy && !isPast && stopperText(stoppedBy)],
          ['Worker', isAway && <a href={linkTo(['workers', workerId])}>{workerId}</a>],
          ['Attempts', attempt > 1 && !isPast ? String(attempt) : ''],
          ['Parameters', params && <LongText key="params" text={params} label="Parameters" isCode />],
          ['Preconditions', preconditions.length > 0 && <Conditions all={preconditions} isAsNow={!isPast} />]
        ].map(([label, value]) => [String(label), value || undefined] as const)}
      />
      {outputs.length > 0 && (
        <>
          <h3>Outputs</h3>
          <Facts
            rows={outputs.map(([key, value]) => [key, <LongText key={key} text={value} label={key} isCode />] as const)}
          />
        </>
      )}
    </>
  )
}

/** Outputs of the run once it has ended, masked by the server. Each attempt has its own. */
function useOutputs(name: string, dagRunId: string, finishedAt: string, attempt: number): [string, string][] {
  const { value } = useAnswer<{ outputs?: Record<string, unknown> }>(
    finishedAt === '' ? undefined : `/dag-runs${pathOf(name, dagRunId)}/outputs`,
    `${attempt} ${finishedAt}`
  )
  return Object.entries(value?.outputs ?? {}).map(([key, output]) => [
    key,
    typeof output === 'string' ? output : JSON.stringify(output)
  ])
}
