/** The charts that runs, steps, queues and schedules follow, without any actor: what can happen at all. */
import { useEffect } from 'preact/hooks'
import type { ChartSummary } from '../answers.ts'
import { ChartView } from '../chart/chart-view.tsx'
import { Problem } from '../parts/problem.tsx'
import { linkTo } from '../route.ts'
import { useAnswer } from '../use-answer.ts'

/** The chart that is shown when none is named: most of what happens is a step's. */
const FIRST = 'node'

export function MachinesView({ wanted = FIRST }: { wanted: string | undefined }) {
  const { value, refusal, refresh } = useAnswer<{ machines: ChartSummary[] }>('/machines')
  useEffect(() => {
    document.title = 'Machines – Troupe'
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
          <p>{shown.description}</p>
          <ChartView key={shown.id} machine={shown.id} active={[]} />
        </section>
      )}
    </>
  )
}
