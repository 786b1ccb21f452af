/** The definitions whose runs take much longer than last week, those first that have become slowest. */
import type { ListedDefinition } from '../answers.ts'
import { mediansText, NOTED_PERCENT } from '../definition/trend.tsx'
import { usePolledAnswer } from '../polling.ts'
import { linkTo } from '../route.ts'

const MOST = 5
const SELDOM_MS = 300_000
const SORTED = { sort: 'trend', order: 'desc' }
const PATH = `/dags?${new URLSearchParams({ ...SORTED, trend: 'true', perPage: String(MOST) })}`

export function Slower() {
  const { value } = usePolledAnswer<{ dags: ListedDefinition[] }>(PATH, SELDOM_MS)
  const slower = (value?.dags ?? []).flatMap(({ fileName, dag, trend }) =>
    trend && trend.percent >= NOTED_PERCENT ? [{ fileName, name: dag.name, trend }] : []
  )
  if (slower.length === 0) return null
  return (
    <section class="attention slower-list" aria-label="Slower than last week">
      <div class="list-head">
        <h2>Slower than last week</h2>
        <a href={linkTo(['definitions'], SORTED)}>All definitions by trend</a>
      </div>
      <ul>
        {slower.map(({ fileName, name, trend }) => (
          <li key={fileName}>
            <a href={linkTo(['definitions', fileName], { tab: 'durations' })}>{name}</a>
            <span class="trend slower">{trend.percent} %</span>
            <span class="soft">{mediansText(trend)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
