/** The steps of a definition in its latest runs: a row for each step, a column for each run, the newest at the right. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PastRun, Statistics } from '../answers.ts'
import { pathOf } from '../api.ts'
import { AnswerState } from '../parts/answer-state.tsx'
import { memo } from '../parts/memo.tsx'
import { useNow } from '../parts/now.ts'
import { go, runLink } from '../route.ts'
import { lengthText, type Marked, markOf, stateText, timeText } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { StepDurations } from './step-durations.tsx'

const RUNS = 50
/** Height of the highest bar. */
const BAR_PX = 44

/** Nobody depends on the colour of a cell. */
const LETTERS: Record<Marked, string> = {
  not_started: '·',
  queued: 'Q',
  running: 'R',
  waiting: 'W',
  succeeded: 'S',
  partially_succeeded: 'P',
  failed: 'F',
  canceled: 'C',
  skipped: 'K',
  unknown: '?'
}

interface Props {
  fileName: string
  /** Name of the runs. */
  name: string
  changes: number
}

export function Grid({ fileName, name, changes }: Props) {
  const path = `/dags${pathOf(fileName)}/statistics?runs=${RUNS}&history=true`
  const answer = useAnswer<Statistics>(path, changes)
  const { value } = answer
  if (!value) return <AnswerState {...answer} />
  const runs = (value.history ?? []).toReversed()
  if (runs.length === 0) return <p class="soft">This definition has never run.</p>
  return <Drawn name={name} steps={value.steps} runs={runs} />
}

interface Place {
  /** Index of a step; -1: the runs themselves. */
  row: number
  /** Index of a run, the oldest first. */
  column: number
}

interface DrawnProps {
  name: string
  steps: Statistics['steps']
  /** The oldest first. */
  runs: readonly PastRun[]
}

function Drawn({ name, steps, runs }: DrawnProps) {
  const [{ row, column }, setPlace] = useState<Place>({ row: 0, column: runs.length - 1 })
  const box = useRef<HTMLElement>(null)
  const now = useNow(false)
  const open = (to: Place) => {
    const [run, step] = [runs[to.column], steps[to.row]]
    if (run) go(runLink({ name, dagRunId: run.dagRunId }, { step: step?.name }))
  }
  // The newest run is at the right end.
  useLayoutEffect(() => {
    const place = box.current
    if (place) place.scrollLeft = place.scrollWidth
  }, [])
  const move = (to: Place) => {
    const next = { row: within(to.row, -1, steps.length - 1), column: within(to.column, 0, runs.length - 1) }
    setPlace(next)
    document.getElementById(idOf(next))?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  const keys = (event: KeyboardEvent) => {
    const to: Partial<Record<string, Place>> = {
      ArrowUp: { row: row - 1, column },
      ArrowDown: { row: row + 1, column },
      ArrowLeft: { row, column: column - 1 },
      ArrowRight: { row, column: column + 1 },
      Home: { row, column: 0 },
      End: { row, column: runs.length - 1 }
    }
    const next = to[event.key]
    if (next) move(next)
    else if (event.key === 'Enter') open({ row, column })
    else return
    event.preventDefault()
  }
  const press = ({ target }: Event) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
    if (!cell) return
    const place = { row: Number(cell.dataset.row), column: Number(cell.dataset.column ?? column) }
    move(place)
    if (cell.dataset.column !== undefined) open(place)
  }
  const run = runs[column]
  const chosen = steps[row]
  const status = row < 0 ? run : run?.steps[row]
  return (
    <div class="grid">
      <p class="soft">
        The latest {runs.length} runs, the newest at the right; heights are durations. Use the arrow keys, and Enter to
        open a run.
      </p>
      <p class="grid-place" aria-live="polite">
        <b>{chosen?.name ?? 'The whole run'}</b>:{' '}
        {status ? stateText(status.statusLabel, status.waitingFor, now) : 'not part of this run'}
        {status?.ms !== undefined && `, ${lengthText(status.ms)}`}
        {run && <span class="soft">, run of {timeText(run.createdAtMs, now)}</span>}
      </p>
      <section ref={box} class="grid-box" aria-label="Grid">
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows and columns that keys move in are a grid
          role="grid"
          tabIndex={0}
          aria-label={`Steps of ${name} in its latest runs`}
          aria-activedescendant={idOf({ row, column })}
          onKeyDown={keys}
          onClick={press}
        >
          <Heads runs={runs} chosen={row < 0 ? column : -1} now={now} />
          <tbody>
            {steps.map((step, at) => (
              <Row
                key={step.name}
                row={at}
                name={step.name}
                p95={step.p95Ms === undefined ? '–' : lengthText(step.p95Ms)}
                runs={runs}
                chosen={at === row ? column : -1}
              />
            ))}
          </tbody>
        </table>
      </section>
      {chosen && <StepDurations step={chosen} times={runs.map(({ steps }) => steps[row] ?? undefined)} />}
    </div>
  )
}

const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))
const idOf = ({ row, column }: Place) => `cell-${row}-${column}`

function Heads({ runs, chosen, now }: { runs: readonly PastRun[]; chosen: number; now: number }) {
  const longest = Math.max(1, ...runs.map(({ ms = 0 }) => ms))
  return (
    <thead>
      <tr>
        <th scope="col">Step</th>
        <th scope="col" class="figure">
          p95
        </th>
        {runs.map((run, column) => {
          const { dagRunId, statusLabel, waitingFor, createdAtMs, ms } = run
          const said = stateText(statusLabel, waitingFor, now)
          return (
            <th
              key={dagRunId}
              id={idOf({ row: -1, column })}
              scope="col"
              class={column === chosen ? 'chosen' : undefined}
              data-row={-1}
              data-column={column}
              title={`${timeText(createdAtMs, now)}, ${said}${ms === undefined ? '' : `, ${lengthText(ms)}`}`}
            >
              <span class={`grid-bar s-${markOf(run)}`} style={{ height: `${4 + ((ms ?? 0) / longest) * BAR_PX}px` }} />
              <span class="unseen">
                {said}, {timeText(createdAtMs, now)}
              </span>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

interface RowProps {
  row: number
  name: string
  p95: string
  runs: readonly PastRun[]
  /** Index of the chosen run; -1: the row is not chosen. */
  chosen: number
}

/** Only the rows of the old and the new choice are drawn again. */
const Row = memo(({ row, name, p95, runs, chosen }: RowProps) => (
  <tr class={chosen >= 0 ? 'chosen' : undefined}>
    <th scope="row" data-row={row} title={name}>
      {name}
    </th>
    <td class="figure">{p95}</td>
    {runs.map(({ dagRunId, steps }, column) => {
      const step = steps[row]
      const label = step && markOf(step)
      return (
        <td
          key={dagRunId}
          id={idOf({ row, column })}
          class={`cell ${label ? `s-${label}` : ''} ${column === chosen ? 'chosen' : ''}`}
          data-row={row}
          data-column={column}
        >
          {label ? LETTERS[label] : ''}
        </td>
      )
    })}
  </tr>
))
