/** One worker: all that is known of it, and its chart. */
import { useEffect, useMemo } from 'preact/hooks'
import { pathOf, send } from '../api.ts'
import { ChartView } from '../chart/chart-view.tsx'
import { Tags } from '../lists/tags.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import { useAction } from '../parts/notices.tsx'
import { useNow } from '../parts/now.ts'
import { Time } from '../parts/time.tsx'
import { Facts } from '../run/facts.tsx'
import { useRefusal } from '../session.ts'
import { instant } from '../text.ts'
import { setTitle } from '../title.ts'
import type { Standing } from './health.ts'
import { type ListedWorker, useWorkers } from './use-workers.ts'
import { Health, labelsOf, loadText, Strip, silenceText, slotsText, Tasks, WorkersState } from './worker-parts.tsx'

export function WorkerView({ id }: { id: string }) {
  const state = useWorkers()
  useEffect(() => {
    setTitle(id)
  }, [id])
  const found = state.workers?.filter(({ worker }) => worker.id === id) ?? []
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href="#/workers">Workers</a>
      </nav>
      <h1>
        <bdi>{id}</bdi>
      </h1>
      <WorkersState {...state} />
      {state.workers && state.workers.length > 0 && found.length === 0 && (
        <p class="soft">This worker is not connected: it has left, is lost, or has never said hello.</p>
      )}
      {found.map((listed) => (
        <Details key={listed.row} onChanged={state.refresh} {...listed} />
      ))}
    </>
  )
}

function Details({ onChanged, ...listed }: ListedWorker & { onChanged: () => void }) {
  const { worker, standing, spans, at, silentMs } = listed
  const now = useNow(false)
  const labels = labelsOf(worker)
  const active = useMemo(() => statesOf(standing), [standing])
  return (
    <section class="worker" aria-label={`Worker ${worker.id}`}>
      <Facts
        rows={[
          ['Health', <Health key="health" {...listed} />],
          ['Last 5 min', <SeenHealth key="seen" spans={spans} at={at} />],
          ['Last heartbeat', silenceText(silentMs)],
          ['Slots', `${slotsText(worker)} in use`],
          [
            'Running',
            worker.running_tasks.length > 0 ? <Tasks worker={worker} most={Number.POSITIVE_INFINITY} /> : 'nothing'
          ],
          ['Labels', labels.length > 0 ? <Tags key="labels" all={labels} /> : 'none'],
          ['Load', loadText(worker)],
          ['Host', <bdi key="host">{worker.host}</bdi>],
          ['Version', <bdi key="version">{worker.version}</bdi>],
          ['Connected', <Time key="at" at={instant(worker.connectedAt)} today={now} />]
        ]}
      />
      {worker.status !== 'incompatible' && (
        <div class="buttons">
          <DrainButton id={worker.id} isDraining={worker.status === 'draining'} onChanged={onChanged} />
        </div>
      )}
      <h2>Its chart</h2>
      <div class="machine">
        <ChartView machine="worker" active={active} />
      </div>
    </section>
  )
}

const SeenHealth = ({ spans, at }: Pick<ListedWorker, 'spans' | 'at'>) => (
  <>
    <Strip spans={spans} at={at} />
    <span class="soft">as far as this page has been open and has seen it</span>
  </>
)

/** Paths of the states of its chart, the innermost last. */
const statesOf = (standing: Standing): string[] =>
  standing === 'incompatible' || standing === 'lost' ? [standing] : ['serving', `serving.${standing}`]

interface DrainButtonProps {
  id: string
  isDraining: boolean
  onChanged: () => void
}

/** Drains a worker, or lets it take runs again. */
function DrainButton({ id, isDraining, onChanged }: DrainButtonProps) {
  const { isBusy, act } = useAction(onChanged)
  const refusal = useRefusal('run', 'admin')
  const toggle = () =>
    act(async () => {
      await send(`/workers${pathOf(id)}/drain`, { method: 'POST', body: { drain: !isDraining } })
      onChanged()
      return isDraining ? 'The worker takes runs again.' : 'The worker takes no more runs, and leaves when it has none.'
    })
  return (
    <ActionButton refusal={refusal} isBusy={isBusy} onAct={toggle}>
      {isDraining ? 'Take runs again' : 'Drain'}
    </ActionButton>
  )
}
