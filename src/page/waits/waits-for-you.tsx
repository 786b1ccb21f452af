/** What waits for the visitor, on the first screen: what is asked, since when and until when, and the answer in place. */
import { useState } from 'preact/hooks'
import type { Waiting } from '../answers.ts'
import { StatusMark } from '../parts/icon.tsx'
import { LongText } from '../parts/long-text.tsx'
import { OfRow } from '../parts/of-dag.tsx'
import { linkTo } from '../route.ts'
import { Answer, Span } from '../run/step/wait-form.tsx'
import { waitText } from '../text.ts'
import { useWaits } from './waits.tsx'

/** More are shown on request. */
const MOST_SHOWN = 5

export function WaitsForYou({ now }: { now: number }) {
  const { mine, isPart } = useWaits()
  const [isWhole, setWhole] = useState(false)
  if (mine.length === 0) return null
  const shown = isWhole ? mine : mine.slice(0, MOST_SHOWN)
  return (
    <section class="waits" aria-label="Waits for you">
      <h2>Waits for you</h2>
      <ul>
        {shown.map((wait) => (
          <OfRow key={`${wait.name} ${wait.dagRunId} ${wait.step}`} permissions={wait.permissions}>
            <Item wait={wait} now={now} />
          </OfRow>
        ))}
      </ul>
      {shown.length < mine.length && (
        <p class="more">
          <button type="button" class="button" onClick={() => setWhole(true)}>
            Show {mine.length - shown.length} more
          </button>
        </p>
      )}
      {isPart && (
        <p class="soft">
          There are more: runs that are <a href={linkTo(['runs'], { waitingFor: 'approval' })}>waiting for approval</a>{' '}
          or <a href={linkTo(['runs'], { waitingFor: 'signal' })}>for a signal</a>
        </p>
      )}
    </section>
  )
}

function Item({ wait, now }: { wait: Waiting; now: number }) {
  const { name, dagRunId, step, waitingFor } = wait
  const isSignal = waitingFor.for === 'signal'
  const answer = <Answer run={wait} step={step} waiting={waitingFor} />
  return (
    <li aria-label={`${name}: ${step}`}>
      <p>
        <StatusMark label="waiting" /> <a href={linkTo(['runs', name, dagRunId], { step })}>{name}</a>{' '}
        <span class="soft">
          {step}, {waitText(waitingFor.for).toLowerCase()} <Span waiting={waitingFor} now={now} />
        </span>
      </p>
      {waitingFor.ask !== '' && (
        <p>
          <LongText text={waitingFor.ask} label="What is asked" />
        </p>
      )}
      {isSignal ? (
        <details>
          <summary>Answer</summary>
          {answer}
        </details>
      ) : (
        answer
      )}
    </li>
  )
}
