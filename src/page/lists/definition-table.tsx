/** Definitions as rows of a table, in the order that they are given in: that of the API. */
import { useState } from 'preact/hooks'
import type { ListedDefinition } from '../answers.ts'
import { SuspendButton } from '../definition/suspend-button.tsx'
import { TrendText } from '../definition/trend.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { useNow } from '../parts/now.ts'
import { OfRow } from '../parts/of-dag.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { linkTo, runLink } from '../route.ts'
import { ScheduleLine } from '../schedule/schedule.tsx'
import { useRefusal } from '../session.ts'
import { StartDialog } from '../start/start-dialog.tsx'
import { instant } from '../text.ts'
import { RunStrip } from './run-strip.tsx'
import { SortHead, type Sorting } from './sort.tsx'
import { Tags } from './tags.tsx'

/** As the API calls them. */
export const COLUMNS = {
  name: { text: 'Definition', first: 'asc' },
  status: { text: 'Status', first: 'asc' },
  latestRun: { text: 'Latest run', first: 'desc' },
  nextRun: { text: 'Next run', first: 'asc' },
  trend: { text: 'Trend', first: 'desc' }
} as const
export type Column = keyof typeof COLUMNS

/** Only where there is much room. */
const WIDE: ReadonlySet<Column> = new Set(['latestRun', 'trend'])

/** The page of the definition shows all of them. */
const MOST_TAGS = 6

interface TableProps {
  dags: readonly ListedDefinition[]
  sorting: Sorting<Column>
  onChanged: () => void
}

export function DefinitionTable({ dags, sorting, onChanged }: TableProps) {
  const now = useNow(false)
  const [toStart, setToStart] = useState<ListedDefinition>()
  return (
    <>
      <table class="list definitions">
        <thead>
          <tr>
            {(Object.keys(COLUMNS) as Column[]).map((column) => (
              <SortHead key={column} sorting={sorting} column={column} isWide={WIDE.has(column)} />
            ))}
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {dags.map((listed) => (
            <tr key={listed.fileName}>
              <th scope="row" title={[listed.dag.name, listed.dag.description].filter(Boolean).join(': ')}>
                <a href={linkTo(['definitions', listed.fileName])}>{listed.dag.name}</a>
                <Tags all={listed.dag.tags} most={MOST_TAGS} />
                {listed.errors.length > 0 && (
                  <span class="chip bad">
                    {listed.errors.length} problem{listed.errors.length > 1 && 's'}
                  </span>
                )}
                {listed.dag.description !== '' && (
                  <span class="soft short" title={listed.dag.description}>
                    {listed.dag.description}
                  </span>
                )}
              </th>
              <td>
                {listed.latestDAGRun.dagRunId === '' ? (
                  <span class="soft">Never</span>
                ) : (
                  <a class="bare" href={runLink(listed.latestDAGRun)}>
                    <Status label={listed.latestDAGRun.statusLabel} waitingFor={listed.latestDAGRun.waitingFor} />
                  </a>
                )}
              </td>
              <td class="wide" data-label={listed.latestDAGRun.dagRunId === '' ? undefined : 'Latest run'}>
                {listed.latestDAGRun.dagRunId !== '' && (
                  <Time
                    at={instant(listed.latestDAGRun.startedAt) ?? instant(listed.latestDAGRun.queuedAt)}
                    today={now}
                  />
                )}
              </td>
              <td data-label="Next run">
                <NextRun {...listed} now={now} />
              </td>
              <td class="wide">
                <RunStrip name={listed.dag.name} runs={listed.latestRuns ?? []} now={now} />
                <TrendText trend={listed.trend} />
              </td>
              <td>
                <OfRow permissions={listed.permissions}>
                  <div class="buttons quiet">
                    <StartButton listed={listed} onAct={() => setToStart(listed)} />
                    <SuspendButton
                      fileName={listed.fileName}
                      isSuspended={listed.suspended}
                      isIcon
                      onChanged={onChanged}
                    />
                  </div>
                </OfRow>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {toStart && (
        <OfRow permissions={toStart.permissions}>
          <StartDialog fileName={toStart.fileName} onClose={() => setToStart(undefined)} />
        </OfRow>
      )}
    </>
  )
}

function StartButton({ listed, onAct }: { listed: ListedDefinition; onAct: () => void }) {
  const mayNot = useRefusal('run')
  return (
    <ActionButton
      kind="round plain"
      title="Start"
      refusal={mayNot ?? (listed.errors.length > 0 ? 'The definition has problems.' : undefined)}
      onAct={onAct}
    >
      <Icon name="play" />
      <span class="unseen">Start {listed.dag.name}</span>
    </ActionButton>
  )
}

function NextRun({ dag, suspended, now }: ListedDefinition & { now: number }) {
  if (suspended) return <span class="chip">Suspended</span>
  if (dag.nextRun === '') return <span class="soft">Manual</span>
  return (
    <>
      <Time at={instant(dag.nextRun)} today={now} />
      <ScheduleLine expressions={dag.schedule.map(({ expression }) => expression)} />
    </>
  )
}
