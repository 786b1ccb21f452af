/** One attempt of a step that failed. Its lines are only ever text. */
import { useEffect, useMemo } from 'preact/hooks'
import type { RunInstant } from '../../answers.ts'
import { now } from '../../clock.ts'
import { CopyButton } from '../../parts/copy/copy-button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { changeQuery } from '../../route.ts'
import { lengthText } from '../../text.ts'
import { useAnswer } from '../../use-answer.ts'
import { attemptName, reasonOf, type StepAttempt } from './attempts.ts'
import { useLastLines } from './last-lines.ts'

interface Props {
  /** Path of the run in the API. */
  path: string
  step: string
  /** Number of the latest attempt of the run. */
  latest: number
  attempt: StepAttempt
  all: readonly StepAttempt[]
  /** Which lines of the attempt the one before it did not have. */
  news: readonly boolean[]
  onLines: (end: number, lines: readonly string[]) => void
}

export function AttemptColumn({ path, step, latest, attempt, all, news, onLines }: Props) {
  const { ofRun, execution, from, until, end, label } = attempt
  // The journal has what was known when the attempt had ended.
  const then = useAnswer<RunInstant>(`${path}/actors?at=${end}&brief=true`)
  const error = then.value?.nodes.find((node) => node.step === step)?.error ?? ''
  const reason = reasonOf(error, step)
  const isOnly = execution === 1 && all.every((it) => it === attempt || it.ofRun !== ofRun)
  const { lines, side, line, isKnown, refusal } = useLastLines(path, step, {
    ...(ofRun === latest ? {} : { attempt: String(ofRun) }),
    // The whole log, if the attempt is the only one in it.
    ...(isOnly ? {} : { execution: String(execution) })
  })
  useEffect(() => {
    if (isKnown) onLines(end, lines)
  }, [isKnown, lines, end, onLines])
  const name = attemptName(attempt, all)
  const today = useMemo(now, [])
  return (
    <li>
      <h4>
        <button
          type="button"
          class="link"
          title="Go to the moment at which it ended"
          onClick={() => changeQuery({ step, at: String(end), side: undefined, line: undefined })}
        >
          {name}
        </button>
      </h4>
      <p>
        <Status label={label} /> {reason !== '' && <LongText text={reason} label={`Why ${name} failed`} />}
      </p>
      <p class="soft">
        <Time at={from} today={today} />, {lengthText(until - from)}
      </p>
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
        <pre class="code" tabIndex={0}>
          {lines.map((text, at) =>
            news[at] ? (
              // Lines have no other name.
              <ins key={at}>{text}</ins>
            ) : (
              <span key={at}>{text}</span>
            )
          )}
        </pre>
      )}
      {isKnown && lines.length === 0 && <p class="soft">It has written nothing.</p>}
      {refusal && <p class="soft">Nothing is on record of its lines.</p>}
      {lines.length > 0 && (
        <div class="buttons">
          {ofRun === latest && line !== undefined && (
            <button
              type="button"
              class="link"
              aria-label={`${name} in the log`}
              onClick={() => changeQuery({ step, side, line: String(line) })}
            >
              In the log
            </button>
          )}
          <CopyButton text={lines.join('\n')} what={`last lines of ${name.toLowerCase()}`} />
        </div>
      )}
    </li>
  )
}
