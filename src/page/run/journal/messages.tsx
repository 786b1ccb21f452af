/** The journal as messages between actors. */
import { useEffect } from 'preact/hooks'
import type { JournalEvent, Message } from '../../answers.ts'
import { pathOf } from '../../api.ts'
import { useAction } from '../../parts/notices.tsx'
import { Problem } from '../../parts/problem.tsx'
import { exactTime } from '../../text.ts'
import { useAnswer } from '../../use-answer.ts'
import { addressText, eventName } from './event-text.ts'

interface Props {
  name: string
  dagRunId: string
  at: number | undefined
  latest: JournalEvent | undefined
}

export function Messages({ name, dagRunId, at, latest }: Props) {
  const { act } = useAction()
  const { value, refusal, refresh } = useAnswer<{ messages: Message[]; omitted: number; mermaid: string }>(
    `/dag-runs${pathOf(name, dagRunId)}/sequence`
  )
  useEffect(refresh, [latest?.seq, refresh])
  if (refusal) return <Problem refusal={refusal} retry={refresh} />
  const messages = value?.messages.filter(({ seq }) => seq <= (at ?? seq)) ?? []
  const copy = () =>
    act(async () => {
      await navigator.clipboard.writeText(value?.mermaid ?? '')
      return 'Copied. Paste it into any Mermaid editor.'
    })
  return (
    <div>
      <div class="filters">
        <span class="soft">
          {messages.length} messages{value && value.omitted > 0 && `, ${value.omitted} more omitted`}
        </span>
        <button type="button" class="button small" onClick={copy}>
          Copy as Mermaid
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys */}
      <section class="rows" tabIndex={0} aria-label="Messages">
        <table class="list messages">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">From</th>
              <th scope="col">Message</th>
              <th scope="col">To</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {messages.map(({ seq, atMs, from, to, event, state }) => (
              <tr key={seq}>
                <td class="mono">{exactTime(atMs)}</td>
                <td>{addressText(from, name, dagRunId)}</td>
                <td class="message">
                  {eventName({ event })} <span aria-hidden="true">→</span>
                </td>
                <td>{addressText(to, name, dagRunId)}</td>
                <td class="mono">{state}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}
