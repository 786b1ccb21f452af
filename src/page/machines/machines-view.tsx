/** The charts of runs, steps, queues and schedules, without an actor: all that can happen. */
import { useEffect } from 'preact/hooks'
import type { ChartSummary } from '../answers.ts'
import { pathOf, send } from '../api.ts'
import { ChartView } from '../chart/chart-view.tsx'
import { putIntoClipboard } from '../clipboard.ts'
import { useAction } from '../parts/notices.tsx'
import { Problem } from '../parts/problem.tsx'
import { linkTo } from '../route.ts'
import { setTitle } from '../title.ts'
import { useAnswer } from '../use-answer.ts'

/** The default: most events are those of steps. */
const FIRST = 'node'

export function MachinesView({ wanted = FIRST }: { wanted: string | undefined }) {
  const { value, refusal, refresh } = useAnswer<{ machines: ChartSummary[] }>('/machines')
  useEffect(() => {
    setTitle('Machines')
  }, [])
  const shown = value?.machines.find(({ id }) => id === wanted)
  return (
    <>
      <h1>Machines</h1>
      <Problem refusal={refusal} retry={refresh} />
      <nav class="machine-links" aria-label="Machines">
        {value?.machines.map(({ id }) => (
          <a key={id} href={linkTo(['machines', id])} aria-current={id === wanted ? 'page' : undefined}>
            {id}
          </a>
        ))}
      </nav>
      {value && !shown && <p class="soft">There is no machine {wanted}.</p>}
      {shown && (
        <section class="machine" aria-label={`Machine ${shown.id}`}>
          <p>
            {shown.description} <CopyConfig id={shown.id} />
          </p>
          <ChartView key={shown.id} machine={shown.id} active={[]} />
        </section>
      )}
    </>
  )
}

/** For editors of statecharts. Source: docs/inspect.md "Charts". */
function CopyConfig({ id }: { id: string }) {
  const { act, isBusy } = useAction()
  const copy = () =>
    act(async () => {
      const answer = await send(`/machines${pathOf(id)}?format=stately`)
      await putIntoClipboard(await answer.text())
      return 'Copied. Import it into the editor of Stately.'
    })
  return (
    <button type="button" class="button small" disabled={isBusy} onClick={copy}>
      Copy for Stately
    </button>
  )
}
