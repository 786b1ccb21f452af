/** Differences between this run and another one of its name, by default the last success before it. Source: http-api "Runs" (diff). */
import { useMemo, useState } from 'preact/hooks'
import type { ChangedText, ComparedEvent, RunDetails, RunDiff, RunSummary, StepTime } from '../answers.ts'
import { pathOf } from '../api.ts'
import { AnswerState } from '../parts/answer-state.tsx'
import { ColumnHeads } from '../parts/column-heads.tsx'
import { LongText } from '../parts/long-text.tsx'
import { useNow } from '../parts/now.ts'
import { Problem } from '../parts/problem.tsx'
import { Status } from '../parts/status.tsx'
import { linkTo, runLink } from '../route.ts'
import { instant, lengthText, shortId, stateText, timeText } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { ordered } from './compare-order.ts'

/** Newest runs that can be chosen. */
const MOST = 50

export function Compare({ details }: { details: RunDetails }) {
  const { name, dagRunId, startedAt } = details
  const [chosen, setChosen] = useState<string>()
  const now = useNow(false)
  const runs = useAnswer<{ dagRuns: RunSummary[] }>(`/dag-runs${pathOf(name)}?limit=${MOST}`)
  const others = (runs.value?.dagRuns ?? []).filter((run) => run.dagRunId !== dagRunId)
  const success = others.find((run) => run.statusLabel === 'succeeded' && run.startedAt <= startedAt)
  const other = chosen ?? success?.dagRunId ?? others[0]?.dagRunId
  const path = `/dag-runs${pathOf(name, dagRunId)}/diff?with=${encodeURIComponent(other ?? '')}`
  const diff = useAnswer<RunDiff>(other === undefined ? undefined : path)
  if (!runs.value) return <Problem refusal={runs.refusal} retry={runs.refresh} />
  if (other === undefined) return <p class="soft">There is no other run of {name} to compare with.</p>
  return (
    <div class="compare">
      <div class="filters">
        <label class="field">
          Compare with
          <select value={other} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {others.map((run) => (
              <option key={run.dagRunId} value={run.dagRunId}>
                {timeText(instant(run.startedAt), now)}, {stateText(run.statusLabel, run.waitingFor, now)}
                {run === success ? ', last success' : ''}, {shortId(run.dagRunId)}
              </option>
            ))}
          </select>
        </label>
        <a href={runLink({ name, dagRunId: other })}>Open that run</a>
      </div>
      <AnswerState {...diff} />
      {diff.value && <Differences diff={diff.value} name={name} before={other} after={dagRunId} />}
    </div>
  )
}

interface Sides {
  name: string
  before: string
  after: string
}

function Differences({ diff, ...sides }: { diff: RunDiff } & Sides) {
  const { params, env, definition, definitionChanged, steps, event, outputs } = diff
  const isSame = params.length + outputs.length === 0 && !definitionChanged && !event
  return (
    <>
      {isSame && <p>Nothing but durations is different.</p>}
      <Steps steps={steps} {...sides} />
      <Changed title="Outputs" texts={outputs} />
      <Changed title="Parameters" texts={params} />
      {definitionChanged && (
        <section aria-label="Definition">
          <h2 class="minor">Definition</h2>
          {env.removed.length > 0 && <p class="soft">Without the variables {env.removed.join(', ')}.</p>}
          {env.added.length > 0 && <p class="soft">With the new variables {env.added.join(', ')}.</p>}
          {definition === undefined ? (
            <p class="soft">The texts are too different to be compared line by line.</p>
          ) : (
            <Patch text={definition} />
          )}
        </section>
      )}
      {event && <FirstEvent event={event} {...sides} />}
    </>
  )
}

function Changed({ title, texts }: { title: string; texts: readonly ChangedText[] }) {
  if (texts.length === 0) return null
  const side = (text: string | undefined, label: string) =>
    text === undefined ? <span class="soft">absent</span> : <LongText text={text} label={label} isCode />
  return (
    <section aria-label={title}>
      <h2 class="minor">{title}</h2>
      <table class="list">
        <ColumnHeads of={['Name', 'Other run', 'This run']} />
        <tbody>
          {texts.map(({ name, before, after }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td data-label="Other run">{side(before, `${name} of the other run`)}</td>
              <td data-label="This run">{side(after, name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** A unified diff without the names of its two files. */
const Patch = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
  <pre class="code patch" tabIndex={0}>
    {text
      .trimEnd()
      .split('\n')
      .slice(2)
      .map((line, at) => (
        <span key={at} class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined}>
          {`${line}\n`}
        </span>
      ))}
  </pre>
)

function FirstEvent({ event, name, before, after }: { event: NonNullable<RunDiff['event']> } & Sides) {
  const row = (title: string, dagRunId: string, one: ComparedEvent | undefined) => (
    <p>
      {title}:{' '}
      {one ? (
        <a href={`${linkTo(['runs', name, dagRunId], { at: String(one.seq), ...stepOf(one) })}`}>
          event {one.seq}, {one.event} to {one.to}
        </a>
      ) : (
        <span class="soft">nothing more from this actor</span>
      )}
    </p>
  )
  const actor = (event.after ?? event.before)?.actor.replace(`run/${name}/${after}/`, '') ?? ''
  return (
    <section aria-label="First event that differs">
      <h2 class="minor">First event that differs</h2>
      <p class="mono">{actor.replace(`run/${name}/${before}/`, '')}</p>
      {row('Other run', before, event.before)}
      {row('This run', after, event.after)}
    </section>
  )
}

const stepOf = ({ actor }: ComparedEvent): { step?: string } => {
  const [, step] = /\/node\/([^/]+)/.exec(actor) ?? []
  return step === undefined ? {} : { step }
}

function Steps({ steps, name, after }: { steps: RunDiff['steps'] } & Sides) {
  const { differing, equal } = useMemo(() => ordered(steps), [steps])
  const [isOpen, setOpen] = useState(false)
  return (
    <section aria-label="Steps">
      <h2 class="minor">Steps</h2>
      {differing.length === 0 && <p class="soft">All ended alike, in about the same time.</p>}
      <table class="list" hidden={differing.length === 0 && !isOpen}>
        <ColumnHeads of={['Step', 'Other run', 'This run', 'Change']} figures={['Change']} />
        <tbody>
          {(isOpen ? [differing, equal].flat() : differing).map((step) => (
            <tr key={step.name} class={step.before?.statusLabel === step.after?.statusLabel ? undefined : 'chosen'}>
              <th scope="row">
                <a href={linkTo(['runs', name, after], { step: step.name })}>{step.name}</a>
              </th>
              <td data-label="Other run">
                <Time time={step.before} />
              </td>
              <td data-label="This run">
                <Time time={step.after} />
              </td>
              <td class="figure">{changeText(step.before?.ms, step.after?.ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {equal.length > 0 && (
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'} {equal.length} equal step{equal.length > 1 && 's'}
        </button>
      )}
    </section>
  )
}

const Time = ({ time }: { time: StepTime | undefined }) =>
  time ? (
    <>
      <Status label={time.statusLabel} /> {time.ms !== undefined && <span class="soft">{lengthText(time.ms)}</span>}
    </>
  ) : (
    <span class="soft">absent</span>
  )

/** A change in percent, such as `+25 %`. */
function changeText(before: number | undefined, after: number | undefined): string {
  if (!before || after === undefined) return ''
  const percent = Math.round(((after - before) / before) * 100)
  return `${percent > 0 ? '+' : ''}${percent} %`
}
