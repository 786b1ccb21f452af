/** Workers: programs that run steps, on this and other machines; their health, their slots, and what they are running. */
import { useEffect, useState } from 'preact/hooks'
import { SortFilter, SortHead, type Sorting, sortingOf } from '../lists/sort.tsx'
import { Tags } from '../lists/tags.tsx'
import { ChoiceFilter, TextFilter } from '../parts/filters.tsx'
import { linkTo } from '../route.ts'
import { capitalized } from '../text.ts'
import { setTitle } from '../title.ts'
import { STANDINGS } from './health.ts'
import { type ListedWorker, useWorkers } from './use-workers.ts'
import { Health, labelsOf, loadText, Strip, silenceText, slotsText, Tasks, WorkersState } from './worker-parts.tsx'

/** The view of a worker has all of them. */
const MOST_LABELS = 6
const MOST_TASKS = 3
/** Rows at first, and with each press of the button. */
const PART = 100

const CHOICES: [string, string][] = [
  ['', 'Any health'],
  ...[...STANDINGS, 'draining'].map((it): [string, string] => [it, capitalized(it)])
]

// D1363: workers are sorted by id, health and slots in use
/** What changes with every heartbeat is no order to read in. */
const COLUMNS = {
  name: { text: 'Worker', first: 'asc' },
  health: { text: 'Health', first: 'desc' },
  slots: { text: 'Slots', first: 'desc' }
} as const
type Column = keyof typeof COLUMNS

const COMPARED: Record<Column, (a: ListedWorker, b: ListedWorker) => number> = {
  name: (a, b) => (a.worker.id < b.worker.id ? -1 : Number(a.worker.id > b.worker.id)),
  health: (a, b) => STANDINGS.indexOf(a.standing) - STANDINGS.indexOf(b.standing),
  slots: (a, b) => a.worker.running_tasks.length - b.worker.running_tasks.length
}

/** Equal ones stay as they came. */
function sorted(workers: readonly ListedWorker[], { by, order }: Sorting<Column>): readonly ListedWorker[] {
  if (by === undefined) return workers
  const sign = order === 'desc' ? -1 : 1
  return [...workers].sort((a, b) => sign * COMPARED[by](a, b))
}

export function WorkerList({ query }: { query: URLSearchParams }) {
  const [name, health] = [query.get('name') ?? '', query.get('health') ?? '']
  const state = useWorkers()
  const [most, setMost] = useState(PART)
  useEffect(() => {
    setTitle('Workers')
  }, [])
  const all = state.workers ?? []
  const sorting = sortingOf<Column>(query, COLUMNS)
  const found = all.filter((it) => isWanted(it, name.toLowerCase(), health))
  return (
    <>
      <h1>Workers</h1>
      {all.length > 0 && (
        <div class="filters">
          <TextFilter label="Id or label" name="name" value={name} />
          <ChoiceFilter label="Health" name="health" value={health} choices={CHOICES} />
          <SortFilter sorting={sorting} none="Default order" />
          <span class="soft">
            {found.length === all.length ? `${all.length} in all` : `${found.length} of ${all.length}`}
          </span>
        </div>
      )}
      <WorkersState {...state} />
      {all.length > 0 && found.length === 0 && (
        <div class="empty">
          <p>No matching workers.</p>
        </div>
      )}
      {found.length > 0 && <WorkerTable workers={sorted(found, sorting).slice(0, most)} sorting={sorting} />}
      {found.length > most && (
        <p class="more">
          <button type="button" class="button" onClick={() => setMost(most + PART)}>
            More workers
          </button>
        </p>
      )}
    </>
  )
}

const isWanted = ({ worker, standing }: ListedWorker, name: string, health: string): boolean =>
  (health === '' || health === standing || health === worker.status) &&
  (name === '' || [worker.id, ...labelsOf(worker)].some((text) => text.toLowerCase().includes(name)))

const WorkerTable = ({ workers, sorting }: { workers: readonly ListedWorker[]; sorting: Sorting<Column> }) => (
  <>
    <p class="soft">The bars show the health of the last 5 min, as far as this page has been open and has seen it.</p>
    <table class="list workers">
      <thead>
        <tr>
          {(Object.keys(COLUMNS) as Column[]).map((column) => (
            <SortHead key={column} sorting={sorting} column={column} />
          ))}
          <th scope="col">Running</th>
          <th scope="col">Load</th>
          <th scope="col">Last heartbeat</th>
        </tr>
      </thead>
      <tbody>
        {workers.map((listed) => (
          <Row key={listed.row} {...listed} />
        ))}
      </tbody>
    </table>
  </>
)

function Row(listed: ListedWorker) {
  const { worker, spans, at, silentMs } = listed
  const { id, host, version } = worker
  return (
    <tr>
      <th scope="row">
        <a href={linkTo(['workers', id])}>
          <bdi>{id}</bdi>
        </a>
        <Tags all={labelsOf(worker)} most={MOST_LABELS} />
        <span class="soft place">
          <bdi>{host}</bdi>, version <bdi>{version}</bdi>
        </span>
      </th>
      <td>
        <Health {...listed} />
        <Strip spans={spans} at={at} />
      </td>
      <td>
        {slotsText(worker)}
        <span class="unseen"> slots in use</span>
      </td>
      <td>{worker.running_tasks.length > 0 && <Tasks worker={worker} most={MOST_TASKS} />}</td>
      <td>{loadText(worker)}</td>
      <td>{silenceText(silentMs)}</td>
    </tr>
  )
}
