/** One definition: its steps as a graph, its text, its runs. */
import { useEffect, useState } from 'preact/hooks'
import type { DagDetails, RunSummary, Trend } from '../answers.ts'
import { pathOf } from '../api.ts'
import { Calendar } from '../calendar/calendar.tsx'
import { DefinitionActions } from '../editor/definition-actions.tsx'
import { useFeed } from '../feed.ts'
import { RunTable } from '../lists/run-table.tsx'
import { Tags } from '../lists/tags.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import { LongText } from '../parts/long-text.tsx'
import { OfDag } from '../parts/of-dag.tsx'
import { Problem } from '../parts/problem.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { changeQuery } from '../route.ts'
import { Code, Facts } from '../run/facts.tsx'
import { DagView, graphKeyOf } from '../run/graph/dag-view.tsx'
import { Why } from '../run/why.tsx'
import { Schedule } from '../schedule/schedule.tsx'
import { useRefusal } from '../session.ts'
import { StartDialog } from '../start/start-dialog.tsx'
import { setTitle } from '../title.ts'
import { useAnswer } from '../use-answer.ts'
import { DurationTable } from './durations.tsx'
import { Grid } from './grid.tsx'
import { NextStarts } from './next-starts.tsx'
import { SpecText } from './spec-text.tsx'
import { SuspendButton } from './suspend-button.tsx'
import { TrendText } from './trend.tsx'
import { Versions } from './versions/versions.tsx'

const TABS = [
  ['steps', 'Steps'],
  ['text', 'Text'],
  ['versions', 'Versions'],
  ['runs', 'Runs'],
  ['grid', 'Grid'],
  ['calendar', 'Calendar'],
  ['durations', 'Durations']
] as const
type TabName = (typeof TABS)[number][0]

/** The next starts are listed, problems stand in the text, and without a schedule nothing is wrong. */
const SHOWN_ELSEWHERE = ['next_start', 'no_schedule', 'definition_invalid']

interface Answer {
  dag: DagDetails
  latestDAGRun: RunSummary
  suspended: boolean
  errors: string[]
  trend?: Trend
}

export function DefinitionView({ fileName, query }: { fileName: string; query: URLSearchParams }) {
  const tab = query.get('tab') ?? ''
  const path = `/dags${pathOf(fileName)}`
  const { value, refusal, refresh } = useAnswer<Answer>(path)
  const [isStarting, setStarting] = useState(false)
  const [changes, setChanges] = useState(0)
  useFeed(refresh)
  useEffect(() => {
    setTitle(fileName)
  }, [fileName])
  useEffect(() => setChanges((count) => count + 1), [value])
  // A definition that was removed or renamed meanwhile is not shown as it was.
  if (!value || refusal?.status === 404)
    return (
      <div class="empty">
        <h1>{fileName}</h1>
        <Problem refusal={refusal} retry={refresh} />
        {refusal && <a href="#/definitions">All definitions</a>}
      </div>
    )
  const { dag, errors, suspended, trend } = value
  const schedule = dag.schedule.map(({ expression }) => expression)
  const chosen = TABS.find(([name]) => name === tab)?.[0] ?? (errors.length > 0 ? 'text' : 'steps')
  return (
    <div class="definition">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href="#/definitions">Definitions</a>
      </nav>
      <header class="run-head">
        <h1>{dag.name}</h1>
        <p class="run-state">
          <Tags all={dag.tags} />
          {suspended && <span class="chip bad">Suspended</span>}
        </p>
        <div class="buttons">
          <OfDag name={dag.name}>
            <StartButton isFaulty={errors.length > 0} onStart={() => setStarting(true)} />
            <SuspendButton fileName={fileName} isSuspended={suspended} onChanged={refresh} />
            <DefinitionActions fileName={fileName} />
          </OfDag>
        </div>
      </header>
      {dag.description !== '' && (
        <p class="soft">
          <LongText text={dag.description} label="Description" />
        </p>
      )}
      <Problem refusal={refusal} retry={refresh} />
      <Facts
        rows={[
          ['Schedule', schedule.length > 0 ? <Schedule expressions={schedule} /> : ''],
          [
            'Next starts',
            dag.nextRun && !suspended ? (
              <NextStarts fileName={fileName} changes={changes} isOneOfMany={schedule.length > 1} />
            ) : (
              ''
            )
          ],
          ['This week', trend && <TrendText trend={trend} isWhole />],
          ['Parameters', dag.defaultParams && <LongText text={dag.defaultParams} label="Parameters" isCode />],
          [
            'Queue',
            <a key="queue" href="#/queues">
              {dag.queue || dag.name}
            </a>
          ],
          [
            'At once',
            dag.maxActiveRuns > 0 ? `At most ${dag.maxActiveRuns} run${dag.maxActiveRuns === 1 ? '' : 's'}` : ''
          ]
        ]}
      />
      <Why path={`${path}/explain`} key={changes} without={SHOWN_ELSEWHERE} isOnTop />
      <Tabs
        label="Views of the definition"
        names={TABS}
        chosen={chosen}
        onChoose={(next: TabName) => changeQuery({ tab: next })}
        kind="views"
      >
        {chosen === 'steps' && <Steps steps={dag.steps} />}
        {chosen === 'text' && <SpecText fileName={fileName} changes={changes} />}
        {chosen === 'versions' && (
          <OfDag name={dag.name}>
            <Versions fileName={fileName} name={dag.name} query={query} changes={changes} />
          </OfDag>
        )}
        {chosen === 'grid' && <Grid fileName={fileName} name={dag.name} changes={changes} />}
        {chosen === 'calendar' && <Calendar name={dag.name} query={query} />}
        {chosen === 'durations' && <DurationTable fileName={fileName} changes={changes} />}
        {chosen === 'runs' && <Runs name={dag.name} changes={changes} />}
      </Tabs>
      {isStarting && <StartDialog fileName={fileName} onClose={() => setStarting(false)} />}
    </div>
  )
}

function StartButton({ isFaulty, onStart }: { isFaulty: boolean; onStart: () => void }) {
  const mayNot = useRefusal('run')
  return (
    <ActionButton
      kind="main"
      refusal={mayNot ?? (isFaulty ? 'The definition has problems.' : undefined)}
      onAct={onStart}
    >
      Start
    </ActionButton>
  )
}

function Steps({ steps }: { steps: DagDetails['steps'] }) {
  const [selected, setSelected] = useState<string>()
  const step = steps.find(({ name }) => name === selected)
  if (steps.length === 0) return <p class="soft">No steps could be read.</p>
  const nodes = steps.map(({ name, depends = [], call, executor, cmdWithArgs = '' }) => ({
    name,
    depends,
    isHandler: false,
    detail: call ? `Calls ${call}` : executor ? executor.type : cmdWithArgs
  }))
  return (
    <>
      <DagView nodes={nodes} graphKey={graphKeyOf(steps)} selected={selected} onSelect={setSelected} />
      {step && (
        <section aria-label={`Step ${step.name}`} aria-live="polite">
          <h2 class="minor">{step.name}</h2>
          {step.description && (
            <p>
              <LongText text={step.description} label="Description" />
            </p>
          )}
          <Code text={step.script ?? step.cmdWithArgs} what="command" />
        </section>
      )}
    </>
  )
}

function Runs({ name, changes }: { name: string; changes: number }) {
  const path = `/dag-runs${pathOf(name)}?limit=50`
  const { value, refusal, refresh } = useAnswer<{ dagRuns: RunSummary[] }>(path, changes)
  if (!value) return <Problem refusal={refusal} retry={refresh} />
  return value.dagRuns.length === 0 ? (
    <p class="soft">This definition has never run.</p>
  ) : (
    <RunTable runs={value.dagRuns} />
  )
}
