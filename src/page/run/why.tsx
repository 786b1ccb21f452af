/** Why something waits, or ended as it did: the engine's own words. */

import { useEffect } from 'preact/hooks'
import type { JournalEvent, Reason } from '../answers.ts'
import { useNow } from '../parts/now.ts'
import { Problem } from '../parts/problem.tsx'
import { runLink } from '../route.ts'
import { lengthText } from '../text.ts'
import { useAnswer } from '../use-answer.ts'

interface Props {
  /** Of what is explained, in the API. */
  path: string
  /** Changes when the answer may be another. */
  latest: JournalEvent | undefined
}

export function Why({ path, latest }: Props) {
  const { value, refusal, refresh } = useAnswer<{ reasons: Reason[] }>(path)
  // A new event is a reason to ask again.
  useEffect(refresh, [latest?.seq, refresh])
  if (refusal) return <Problem refusal={refusal} retry={refresh} />
  const reasons = value?.reasons ?? []
  if (reasons.length === 0) return null
  return (
    <section class="why" aria-label="Why">
      <h3>Why</h3>
      <ul>
        {reasons.slice(0, MOST).map((reason) => (
          <Because key={`${reason.about.kind} ${reason.about.name} ${reason.cause}`} {...reason} />
        ))}
      </ul>
      {reasons.length > MOST && <p class="soft">And {reasons.length - MOST} more of the kind.</p>}
    </section>
  )
}
const MOST = 12

function Because({ text, waiting, untilMs, unblock, blockedBy }: Reason) {
  const now = useNow(waiting && untilMs !== null)
  return (
    <li class={waiting ? 'waits' : ''}>
      <p>{text}</p>
      {waiting && untilMs !== null && untilMs > now && <p class="soft">Another {lengthText(untilMs - now)}.</p>}
      {unblock !== '' && <p class="soft">{unblock}</p>}
      {blockedBy.map(({ kind, name, dagRunId }) =>
        dagRunId === undefined ? null : (
          <a key={`${kind} ${name} ${dagRunId}`} href={runLink({ name, dagRunId })}>
            {name}
          </a>
        )
      )}
    </li>
  )
}
