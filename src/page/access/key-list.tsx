/** API keys: those that count, and those that did. */
import { useState } from 'preact/hooks'
import type { ApiKey } from '../answers.ts'
import { Tags } from '../lists/tags.tsx'
import { AnswerState } from '../parts/answer-state.tsx'
import { ColumnHeads } from '../parts/column-heads.tsx'
import { LongText } from '../parts/long-text.tsx'
import { useNow } from '../parts/now.ts'
import { Time } from '../parts/time.tsx'
import { usePolledAnswer } from '../polling.ts'
import { capitalized, instant } from '../text.ts'
import { NewKeyDialog, RevokeDialog } from './key-dialogs.tsx'
import { ruleText } from './rule-text.ts'

export function KeyList() {
  const answer = usePolledAnswer<{ keys: ApiKey[] }>('/access/keys')
  const { value, refresh } = answer
  const [isNew, setNew] = useState(false)
  const [revoked, setRevoked] = useState<ApiKey>()
  const close = () => {
    setNew(false)
    setRevoked(undefined)
    refresh()
  }
  return (
    <>
      <div class="buttons above-list">
        <button type="button" class="button main" onClick={() => setNew(true)}>
          New key
        </button>
      </div>
      <AnswerState {...answer} />
      {value?.keys.length === 0 && (
        <div class="empty">
          <p>There are no keys. A key lets a program in, with a role and an end of its own.</p>
        </div>
      )}
      {value && value.keys.length > 0 && <KeyTable keys={value.keys} onRevoke={setRevoked} />}
      {isNew && <NewKeyDialog onClose={close} />}
      {revoked && <RevokeDialog name={revoked.name} onClose={close} />}
    </>
  )
}

interface TableProps {
  keys: readonly ApiKey[]
  onRevoke: (key: ApiKey) => void
}

function KeyTable({ keys, onRevoke }: TableProps) {
  const today = useNow(false)
  return (
    <table class="list keys">
      <ColumnHeads of={['Key', 'Status', 'Role', 'Last use', 'Made']} last="Actions" />
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <th scope="row">
              <bdi>{key.name}</bdi>
              <Tags all={key.rules.map(ruleText)} />
            </th>
            <td>
              {capitalized(key.status)}
              <Until {...key} today={today} />
            </td>
            <td class="whole-words" data-label="role">
              {key.role}
            </td>
            <td data-label="last use">
              {key.lastUsedAt === '' ? 'never' : <Time at={instant(key.lastUsedAt)} today={today} />}
            </td>
            <td data-label="made">
              <Time at={instant(key.createdAt)} today={today} />{' '}
              <span class="soft">
                by <LongText text={key.createdBy} label={`Who made ${key.name}`} />
              </span>
            </td>
            <td>
              {key.status === 'active' && (
                <button type="button" class="button small" onClick={() => onRevoke(key)}>
                  Revoke<span class="unseen"> {key.name}</span>
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const Until = ({ status, expiresAt, revokedAt, revokedBy, today }: ApiKey & { today: number }) => (
  <span class="soft">
    {status === 'revoked' && (
      <>
        {' '}
        <Time at={instant(revokedAt)} today={today} /> by <bdi>{revokedBy}</bdi>
      </>
    )}
    {status !== 'revoked' && expiresAt !== '' && (
      <>
        {status === 'active' ? ' until ' : ' '}
        <Time at={instant(expiresAt)} today={today} />
      </>
    )}
  </span>
)
