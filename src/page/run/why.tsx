/** Why something is waiting, or ended as it did: explained by the engine. */
import { useEffect } from 'preact/hooks'
import type { JournalEvent, Reason } from '../answers.ts'
import { LongText } from '../parts/long-text.tsx'
import { useNow } from '../parts/now.ts'
import { Problem } from '../parts/problem.tsx'
import { runLink } from '../route.ts'
import { capitalized, lengthText, sentence, shortId } from '../text.ts'
import { useAnswer } from '../use-answer.ts'

interface Props {
  /** Path of the explanation in the API. */
  path: string
  /** A newer event means that the answer may have changed. */
  latest?: JournalEvent | undefined
  /** Shows only reasons about things of this kind. */
  about?: Reason['about']['kind']
  title?: string
  /** Causes that are shown in another way there. */
  without?: readonly string[]
  /** The explanation is right below the title of the page, not in a section with its own title. */
  isOnTop?: boolean
}

export function Why({ path, latest, about, title = 'Why', without = [], isOnTop = false }: Props) {
  const { value, refusal, refresh } = useAnswer<{ reasons: Reason[] }>(path)
  useEffect(refresh, [latest?.seq, refresh])
  if (refusal) return <Problem refusal={refusal} retry={refresh} />
  const reasons = (value?.reasons ?? []).filter(({ cause }) => !without.includes(cause))
  const groups = grouped(about === undefined ? reasons : reasons.filter((reason) => reason.about.kind === about))
  if (groups.length === 0) return null
  return (
    <section class="why" aria-label={title}>
      {isOnTop ? <h2 class="minor">{title}</h2> : <h3>{title}</h3>}
      <ul>
        {groups.slice(0, MOST).map((group) => (
          <Because key={`${group[0].about.kind} ${group[0].about.name} ${group[0].cause}`} group={group} />
        ))}
      </ul>
      {groups.length > MOST && <p class="soft">And {groups.length - MOST} more.</p>}
    </section>
  )
}
const MOST = 12
const MOST_NAMES = 8
/** A longer list of blocking runs scrolls. */
const FEW = 8

type Group = [Reason, ...Reason[]]

/** Steps that are waiting, or ended, for the same cause are one group: a run may have a thousand of them. */
function grouped(reasons: readonly Reason[]): Group[] {
  const groups = new Map<string, Group>()
  for (const reason of reasons) {
    const { about, cause } = reason
    const key = about.kind === 'node' ? cause : `${about.kind} ${about.name} ${cause}`
    const known = groups.get(key)
    if (known) known.push(reason)
    else groups.set(key, [reason])
  }
  return [...groups.values()]
}

function Because({ group: [first, ...others] }: { group: Group }) {
  const { text, waiting, untilMs, unblock, blockedBy } = first
  const now = useNow(waiting && untilMs !== null)
  const names = others.slice(0, MOST_NAMES).map(({ about }) => about.name)
  const rest = others.length - names.length
  const runs = blockedBy.filter(({ dagRunId }) => dagRunId !== undefined)
  // The runs that a sentence ends with are links below it.
  const [said = text] = runs.length > 0 ? text.split(`: ${runs[0]?.dagRunId}`) : []
  const isMany = runs.length > FEW
  return (
    <li class={waiting ? 'waits' : ''}>
      <p>
        <LongText text={sentence(said.startsWith(first.about.name) ? said : capitalized(said))} label="Reason" />
      </p>
      {others.length > 0 && (
        <p class="soft">
          The same applies to {names.join(', ')}
          {rest > 0 && ` and ${rest} more`}.
        </p>
      )}
      {waiting && untilMs !== null && untilMs > now && <p class="soft">{lengthText(untilMs - now)} left.</p>}
      {unblock !== '' && (
        <p class="soft">
          <LongText text={sentence(unblock)} label="Fix" />
        </p>
      )}
      {runs.length > 0 && (
        <p class={`blockers ${isMany ? 'long' : ''}`} tabIndex={isMany ? 0 : undefined}>
          {runs.map(({ kind, name, dagRunId = '' }) => (
            <a key={`${kind} ${name} ${dagRunId}`} href={runLink({ name, dagRunId })} title={dagRunId}>
              {name} <span class="mono">{shortId(dagRunId)}</span>
            </a>
          ))}
        </p>
      )}
    </li>
  )
}
