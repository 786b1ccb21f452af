/** People who are signed in, and the end of that: of one session, of all of a person, of everybody. */
import { useState } from 'preact/hooks'
import type { SignedIn } from '../answers.ts'
import { send } from '../api.ts'
import { AnswerState } from '../parts/answer-state.tsx'
import { ColumnHeads } from '../parts/column-heads.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { LongText } from '../parts/long-text.tsx'
import { useAction } from '../parts/notices.tsx'
import { useNow } from '../parts/now.ts'
import { Time } from '../parts/time.tsx'
import { usePolledAnswer } from '../polling.ts'
import { instant } from '../text.ts'

/** The sessions to end, as the API takes them, and in words. */
interface Wanted {
  body: { session: string } | { subject: string } | { all: true }
  title: string
}

export function SessionList() {
  const answer = usePolledAnswer<{ sessions: SignedIn[] }>('/access/sessions')
  const { value, refresh } = answer
  const [wanted, setWanted] = useState<Wanted>()
  const close = () => {
    setWanted(undefined)
    refresh()
  }
  const sessions = value?.sessions ?? []
  return (
    <>
      {sessions.length > 0 && (
        <div class="buttons above-list">
          <button
            type="button"
            class="button"
            onClick={() => setWanted({ body: { all: true }, title: 'Sign everybody out' })}
          >
            Sign everybody out
          </button>
        </div>
      )}
      <AnswerState {...answer} />
      {value && sessions.length === 0 && (
        <div class="empty">
          <p>Nobody is signed in with OpenID Connect.</p>
        </div>
      )}
      {sessions.length > 0 && <SessionTable sessions={sessions} onEnd={setWanted} />}
      {wanted && <EndDialog {...wanted} onClose={close} />}
    </>
  )
}

function SessionTable({ sessions, onEnd }: { sessions: readonly SignedIn[]; onEnd: (wanted: Wanted) => void }) {
  const today = useNow(false)
  const several = (subject: string) => sessions.filter((one) => one.subject === subject).length > 1
  return (
    <table class="list sessions">
      <ColumnHeads of={['Person', 'Since', 'Last seen', 'Until', 'From']} last="Actions" />
      <tbody>
        {sessions.map(({ id, name, subject, since, lastSeenAt, expiresAt, address, agent, isOwn }) => (
          <tr key={id}>
            <th scope="row">
              <LongText text={name} label="Who it is" />
              {isOwn && <span class="chip">you</span>}
            </th>
            <td data-label="since">
              <Time at={instant(since)} today={today} />
            </td>
            <td data-label="last seen">
              <Time at={instant(lastSeenAt)} today={today} />
            </td>
            <td data-label="until">
              <Time at={instant(expiresAt)} today={today} />
            </td>
            <td data-label="from">
              <bdi>{address}</bdi> <span class="soft">{agent}</span>
            </td>
            <td>
              <div class="buttons">
                <button
                  type="button"
                  class="button small"
                  onClick={() => onEnd({ body: { session: id }, title: `Sign ${name} out` })}
                >
                  Sign out<span class="unseen"> {name}</span>
                </button>
                {several(subject) && (
                  <button
                    type="button"
                    class="button small"
                    onClick={() => onEnd({ body: { subject }, title: `Sign ${name} out everywhere` })}
                  >
                    Everywhere<span class="unseen">: sign {name} out</span>
                  </button>
                )}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function EndDialog({ body, title, onClose }: Wanted & { onClose: () => void }) {
  const { isBusy, act } = useAction()
  const end = async () => {
    const isDone = await act(async () => {
      await send('/access/sessions/end', { method: 'POST', body })
      return 'The sessions are ended.'
    })
    if (isDone) onClose()
  }
  return (
    <Dialog title={title} yes="Sign out" isGrave isBusy={isBusy} onYes={end} onClose={onClose}>
      <p>
        The next request of these sessions is refused, and what they follow ends. People who may sign in can do so
        again: to keep somebody out, take them out at the sign-in provider, or out of the whitelist.
      </p>
    </Dialog>
  )
}
