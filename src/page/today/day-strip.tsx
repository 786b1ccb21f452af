/** A row for each definition that ran in the last 24 hours; each run is a bar that links to it. */
import { useState } from 'preact/hooks'
import type { RunSummary } from '../answers.ts'
import { linkTo, runLink } from '../route.ts'
import { instant, labelText, markOf, minuteText, roughLengthText, stateText, timeText } from '../text.ts'
import { useZone } from '../zone.ts'
import { countsOf, DAY_MS, type DayRow, dayOf } from './day.ts'

/** More are shown on request. */
const MOST_ROWS = 15
const QUARTERS = [0, 0.25, 0.5, 0.75]

export function DayStrip({ runs, now }: { runs: readonly RunSummary[]; now: number }) {
  const [isWhole, setWhole] = useState(false)
  const rows = dayOf(runs, now)
  const shown = isWhole ? rows : rows.slice(0, MOST_ROWS)
  return (
    <>
      <div class="day">
        <p class="hours soft" title={useZone()} aria-hidden="true">
          {QUARTERS.map((part) => (
            <span key={part}>{minuteText(now - DAY_MS * (1 - part))}</span>
          ))}
        </p>
        <ul>
          {shown.map((row) => (
            <Row key={row.name} row={row} now={now} />
          ))}
        </ul>
      </div>
      {rows.length > MOST_ROWS && !isWhole && (
        <p class="more">
          <button type="button" class="button" onClick={() => setWhole(true)}>
            Show {rows.length - MOST_ROWS} more
          </button>
        </p>
      )}
    </>
  )
}

function Row({ row: { name, bars }, now }: { row: DayRow; now: number }) {
  const counts = countsOf(bars.map(({ run }) => run))
  const failed = counts.get('failed') ?? 0
  const usual = medianOf(bars.flatMap(({ run }) => lengthOf(run) ?? []))
  const said = [...counts].map(([label, count]) => `${count} ${labelText(label)}`).join(', ')
  return (
    <li>
      <a href={linkTo(['runs'], { name, period: '24h' })} title={name}>
        {name}
        <span class="unseen">: {said}</span>
      </a>
      <span class="figures" aria-hidden="true">
        <span>{bars.length}</span>
        <span class={failed > 0 ? 's-failed' : ''}>{failed > 0 && `${failed} failed`}</span>
        <span title="Median of how long its runs took">{usual === undefined ? '' : roughLengthText(usual)}</span>
      </span>
      {/* Its words are in the link; each bar is in the list that the link leads to. */}
      <svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
        <path class="axis" d="M0 19.5H1000M250 0V20M500 0V20M750 0V20" />
        {bars.map(({ run, x, width }) => (
          <a key={run.dagRunId} href={runLink(run)} tabindex={-1}>
            <rect class={`s-${markOf(run)}`} x={x} y={2} width={width} height={16}>
              <title>{`${run.dagRunId}: ${stateText(run.statusLabel, run.waitingFor, now)}, ${timeText(instant(run.startedAt) ?? instant(run.queuedAt), now)}`}</title>
            </rect>
          </a>
        ))}
      </svg>
    </li>
  )
}

function lengthOf({ startedAt, finishedAt }: RunSummary): number | undefined {
  const [from, until] = [instant(startedAt), instant(finishedAt)]
  return from === undefined || until === undefined ? undefined : until - from
}

const medianOf = (all: readonly number[]): number | undefined =>
  [...all].sort((one, other) => one - other)[Math.floor(all.length / 2)]
