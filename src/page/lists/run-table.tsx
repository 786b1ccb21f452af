/** Runs as rows of a table, in the order that they are given in. */
import type { RunSummary } from '../answers.ts'
import { RunId } from '../parts/copy/run-id.tsx'
import { useNow } from '../parts/now.ts'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { triggerText } from '../parts/trigger.tsx'
import { runLink } from '../route.ts'
import { instant, roughLengthText, shortened } from '../text.ts'
import { type Choosing, keyOf } from './chosen-runs.tsx'
import { RowBlocks } from './row-blocks.tsx'

/** Signs of parameters; the page of the run has all of them. */
const MOST_IN_ROW = 200
const MOST_IN_TITLE = 600

interface TableProps {
  runs: readonly RunSummary[]
  /** Undefined: nothing can be selected. */
  choosing?: Choosing | undefined
  /** The place of a run in its queue, such as `2 of 5`. */
  placeOf?: (run: RunSummary) => string | undefined
}

export function RunTable({ runs, choosing, placeOf }: TableProps) {
  const now = useNow(runs.some(({ statusLabel }) => statusLabel === 'running'))
  return (
    <table class="list runs" aria-rowcount={runs.length + 1}>
      <thead>
        <tr>
          {choosing && (
            <th scope="col" class="choice">
              <ChoiceOfAll choosing={choosing} />
            </th>
          )}
          <th scope="col" class="state">
            Status
          </th>
          <th scope="col">Run</th>
          <th scope="col" class="began">
            Started
          </th>
          <th scope="col" class="took figure">
            Duration
          </th>
          <th scope="col" class="wide why-started">
            Trigger
          </th>
          <th scope="col" class="wide">
            Parameters
          </th>
        </tr>
      </thead>
      <RowBlocks
        count={runs.length}
        row={(at) => {
          const run = runs[at]
          return run && <Row key={keyOf(run)} run={run} choosing={choosing} now={now} place={placeOf?.(run)} />
        }}
      />
    </table>
  )
}

interface RowProps {
  run: RunSummary
  choosing: Choosing | undefined
  now: number
  place: string | undefined
}

const Row = ({ run, choosing, now, place }: RowProps) => (
  <tr class={choosing?.chosen.has(keyOf(run)) ? 'chosen' : undefined}>
    {choosing && <td class="choice">{choosing.able.has(keyOf(run)) && <Choice run={run} choosing={choosing} />}</td>}
    <td class="state">
      <Status label={run.statusLabel} waitingFor={run.waitingFor} /> <Place text={place} />
    </td>
    <th scope="row" title={`${run.name} ${run.dagRunId}`}>
      <a href={runLink(run)}>{run.name}</a>
      <RunId id={run.dagRunId} isInRow />
    </th>
    <td class="began">
      <Time at={instant(run.startedAt) ?? instant(run.queuedAt)} today={now} />
    </td>
    <td class="took figure">{tookText(run, now)}</td>
    <td class="wide soft cut why-started" title={run.trigger && triggerText(run.trigger, now)}>
      {run.trigger ? triggerText(run.trigger, now) : ''}
    </td>
    <td class="wide soft mono cut params" title={shortened(run.params, MOST_IN_TITLE)}>
      {run.params.slice(0, MOST_IN_ROW)}
    </td>
  </tr>
)

const Place = ({ text }: { text: string | undefined }) => (text ? <span class="soft queue-place">{text}</span> : null)

const Choice = ({ run, choosing: { chosen, onChoose } }: { run: RunSummary; choosing: Choosing }) => (
  <input
    type="checkbox"
    aria-label={`Select ${run.name} ${run.dagRunId}`}
    checked={chosen.has(keyOf(run))}
    onChange={({ currentTarget }) => onChoose([keyOf(run)], currentTarget.checked)}
  />
)

function ChoiceOfAll({ choosing: { able, chosen, onChoose } }: { choosing: Choosing }) {
  const isAll = able.size > 0 && chosen.size === able.size
  return (
    <input
      type="checkbox"
      aria-label="Select all that can be stopped or retried"
      disabled={able.size === 0}
      checked={isAll}
      indeterminate={chosen.size > 0 && !isAll}
      onChange={({ currentTarget }) => onChoose(able, currentTarget.checked)}
    />
  )
}

function tookText({ startedAt, finishedAt, statusLabel }: RunSummary, now: number): string {
  const began = instant(startedAt)
  if (began === undefined) return '–'
  const ended = statusLabel === 'running' ? now : (instant(finishedAt) ?? now)
  return roughLengthText(Math.max(0, ended - began))
}
