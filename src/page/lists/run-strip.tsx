/** The latest runs of a definition in its row, the newest at the end. One of them is a stop of Tab, arrows move. */
import type { LatestRun } from '../answers.ts'
import { StatusMark } from '../parts/icon.tsx'
import { runLink } from '../route.ts'
import { lengthText, markOf, stateText, timeText } from '../text.ts'

interface Props {
  /** DAG name. */
  name: string
  /** Newest first. */
  runs: readonly LatestRun[]
  now: number
}

const STEPS: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

export function RunStrip({ name, runs, now }: Props) {
  if (runs.length === 0) return null
  const keys = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined || !(event.target instanceof HTMLElement)) return
    const item = event.target.closest('li')
    event.preventDefault()
    ;(step < 0 ? item?.previousElementSibling : item?.nextElementSibling)?.querySelector('a')?.focus()
  }
  return (
    <ol class="run-strip" aria-label={`Latest runs of ${name}`} onKeyDown={keys}>
      {runs.toReversed().map((run, at) => {
        const { dagRunId, statusLabel, waitingFor, createdAtMs, ms } = run
        const took = ms === undefined ? '' : `, ${lengthText(ms)}`
        const text = `${stateText(statusLabel, waitingFor, now)}, ${timeText(createdAtMs, now)}${took}`
        return (
          <li key={dagRunId}>
            <a
              href={runLink({ name, dagRunId })}
              tabIndex={at === runs.length - 1 ? 0 : -1}
              title={text}
              aria-label={text}
            >
              <StatusMark label={markOf(run)} size={12} />
            </a>
          </li>
        )
      })}
    </ol>
  )
}
