/** Targets of `notify`, the events that wait for them, and dead letters. Source: docs/notifications.md "Dead letters". */
import { useEffect } from 'preact/hooks'
import type { Delivery, NotifyTarget } from '../answers.ts'
import { ask, pathOf } from '../api.ts'
import { now } from '../clock.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Awaited } from '../parts/awaited.tsx'
import { ChoiceFilter } from '../parts/filters.tsx'
import { LongText } from '../parts/long-text.tsx'
import { useAction } from '../parts/notices.tsx'
import { Problem } from '../parts/problem.tsx'
import { Time } from '../parts/time.tsx'
import { usePolledAnswer } from '../polling.ts'
import { linkTo } from '../route.ts'
import { useRefusal } from '../session.ts'
import { instant } from '../text.ts'
import { setTitle } from '../title.ts'

const AGAIN_MS = 5_000
/** Events that are shown; the command line lists all of them. */
const MOST = 100

interface Answer {
  targets: NotifyTarget[]
  deliveries: Delivery[]
  nextCursor: string | null
}

const STATES: [string, string][] = [
  ['', 'Waiting and dead'],
  ['dead', 'Dead letters'],
  ['waiting', 'Waiting']
]

export function NotificationsView({ query }: { query: URLSearchParams }) {
  const [state, target] = [query.get('state') ?? '', query.get('target') ?? '']
  const asked = new URLSearchParams({ limit: String(MOST), ...(state ? { state } : {}), ...(target ? { target } : {}) })
  const { value, refusal, refresh } = usePolledAnswer<Answer>(`/deliveries?${asked}`, AGAIN_MS)
  useEffect(() => {
    setTitle('Notifications')
  }, [])
  if (!value && !refusal) return <Awaited />
  const { targets = [], deliveries = [], nextCursor = null } = value ?? {}
  return (
    <>
      <h1>Notifications</h1>
      <Problem refusal={refusal} />
      {value && targets.length === 0 && (
        <div class="empty">
          <p>
            The configuration has no targets: <code>notify</code> tells other servers what happens to runs.
          </p>
        </div>
      )}
      <ul class="targets" aria-label="Targets">
        {targets.map((one) => (
          <Target key={one.name} {...one} onChanged={refresh} />
        ))}
      </ul>
      {targets.length > 0 && (
        <>
          <h2>Events</h2>
          <div class="filters">
            <ChoiceFilter label="State" name="state" value={state} choices={STATES} />
            <ChoiceFilter
              label="Target"
              name="target"
              value={target}
              choices={[['', 'Every target'], ...targets.map(({ name }): [string, string] => [name, name])]}
            />
          </div>
          {value && deliveries.length === 0 && <p class="soft">Nothing waits, and there are no dead letters.</p>}
          <ul class="deliveries" aria-label="Events">
            {deliveries.map((one) => (
              <Event key={`${one.target} ${one.id}`} {...one} onChanged={refresh} />
            ))}
          </ul>
          {nextCursor !== null && <p class="soft">These are the first {MOST}. troupe deliveries lists all of them.</p>}
        </>
      )}
    </>
  )
}

/** @param id of a dead letter; absent: all of the target */
function useChange(target: string, onChanged: () => void, id?: string) {
  const { isBusy, act } = useAction(onChanged)
  const refusal = useRefusal('run', 'admin')
  const lettersIn = ({ count }: { count: number }) => (count === 1 ? '1 dead letter' : `${count} dead letters`)
  const retry = () =>
    act(async () => {
      const body = id === undefined ? {} : { id }
      const changed = await ask<{ count: number }>(`/deliveries${pathOf(target)}/retry`, { method: 'POST', body })
      onChanged()
      return `${lettersIn(changed)} delivered again.`
    })
  const remove = () =>
    act(async () => {
      const query = id === undefined ? '' : `?${new URLSearchParams({ id })}`
      const changed = await ask<{ count: number }>(`/deliveries${pathOf(target)}${query}`, { method: 'DELETE' })
      onChanged()
      return `${lettersIn(changed)} removed.`
    })
  return { isBusy, refusal, retry, remove }
}

function Target({ name, configured, waiting, dead, failures, onChanged }: NotifyTarget & { onChanged: () => void }) {
  const { isBusy, refusal, retry, remove } = useChange(name, onChanged)
  const gone = configured ? undefined : 'The configuration does not have this target any more.'
  return (
    <li>
      <h2>
        <bdi>{name}</bdi>
      </h2>
      <p>
        {waiting} waiting, {dead} {dead === 1 ? 'dead letter' : 'dead letters'}
        {failures > 0 && <>, the last {failures === 1 ? 'request' : `${failures} requests`} not accepted</>}
        {!configured && <>, not configured any more</>}
      </p>
      {dead > 0 && (
        <div class="buttons">
          <ActionButton refusal={refusal ?? gone} isBusy={isBusy} kind="small" onAct={retry}>
            Deliver all again<span class="unseen"> to {name}</span>
          </ActionButton>
          <ActionButton refusal={refusal} isBusy={isBusy} kind="small" onAct={remove}>
            Remove all<span class="unseen"> of {name}</span>
          </ActionButton>
        </div>
      )}
    </li>
  )
}

function Event(one: Delivery & { onChanged: () => void }) {
  const { target, id, state, event, dagName, dagRunId, attempts, error, onChanged } = one
  const { isBusy, refusal, retry, remove } = useChange(target, onChanged, id)
  const [occurred, next, today] = [instant(one.occurredAt), instant(one.nextAttemptAt), now()]
  return (
    <li>
      <p>
        <strong>{event}</strong> to <bdi>{target}</bdi>
        {dagName !== '' && (
          <>
            {' '}
            of <a href={linkTo(['runs', dagName, dagRunId])}>{dagName}</a>
          </>
        )}
        , <Time at={occurred} today={today} />
      </p>
      <p class="soft">
        {state === 'dead' ? 'Dead letter' : 'Waiting'},{' '}
        {attempts === 1 ? '1 failed attempt' : `${attempts} failed attempts`}
        {state === 'waiting' && (
          <>
            , next <Time at={next} today={today} />
          </>
        )}
      </p>
      {error !== '' && (
        <p class="why">
          <LongText text={error} label="Why it was not delivered" />
        </p>
      )}
      {state === 'dead' && (
        <div class="buttons">
          <ActionButton refusal={refusal} isBusy={isBusy} kind="small" onAct={retry}>
            Deliver again<span class="unseen"> {id}</span>
          </ActionButton>
          <ActionButton refusal={refusal} isBusy={isBusy} kind="small" onAct={remove}>
            Remove<span class="unseen"> {id}</span>
          </ActionButton>
        </div>
      )}
    </li>
  )
}
