/** One run: its graph, its timeline and what is selected. The address holds all of the view's state. */
import { useCallback, useEffect, useMemo } from 'preact/hooks'
import type { NodeLabel, RunDetails, RunInstant, Step } from '../answers.ts'
import { pathOf } from '../api.ts'
import { now } from '../clock.ts'
import { OfDag } from '../parts/of-dag.tsx'
import { Problem } from '../parts/problem.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { changeQuery } from '../route.ts'
import { lengthText, stateText } from '../text.ts'
import { setTitle } from '../title.ts'
import { useWaits } from '../waits/waits.tsx'
import { Compare } from './compare.tsx'
import { Divider, shareStyle, useShare } from './divider.tsx'
import { useFailureFirst } from './failure/use-failure-first.ts'
import { type DagNode, DagView, graphKeyOf } from './graph/dag-view.tsx'
import { Inspector, type Side } from './inspector.tsx'
import { breakpointOf } from './journal/breakpoints.ts'
import { EventList } from './journal/event-list.tsx'
import { eventAt } from './journal/event-text.ts'
import { SequenceView } from './journal/sequence.tsx'
import { TimeSlider } from './journal/time-slider.tsx'
import { type Moment, momentNow, momentThen } from './moment.ts'
import { LogsView } from './panes/logs-view.tsx'
import { RunCrumbs } from './run-crumbs.tsx'
import { RunHead } from './run-head.tsx'
import { timesText } from './step/retries.ts'
import { StepTable } from './step/step-table.tsx'
import { type LiveRun, useLiveRun } from './use-live-run.ts'
import { usePanel } from './use-panel.ts'
import { usePast } from './use-past.ts'

const VIEWS = [
  ['graph', 'Graph'],
  ['steps', 'Steps'],
  ['events', 'Events'],
  ['messages', 'Messages'],
  ['logs', 'Logs'],
  ['compare', 'Compare']
] as const
type ViewName = (typeof VIEWS)[number][0]
const SIDES: readonly Side[] = ['facts', 'values', 'chart', 'out', 'err']

export function RunView({ name, dagRunId, query }: { name: string; dagRunId: string; query: URLSearchParams }) {
  const live = useLiveRun(name, dagRunId)
  const { details, instant, refusal, refresh } = live
  useEffect(() => {
    setTitle(name)
  }, [name])
  // A run that is gone, such as one removed from its queue, is not shown as it was.
  if (!details || !instant || refusal?.status === 404)
    return refusal ? (
      <div class="empty">
        <h1>{name}</h1>
        <Problem refusal={refusal} retry={refresh} />
        <a href="#/runs">All runs</a>
      </div>
    ) : (
      <div class="canvas-wait" aria-busy="true" />
    )
  return (
    <OfDag name={details.rootDAGRunName || name}>
      <Shown live={live} details={details} instant={instant} query={query} />
    </OfDag>
  )
}

interface ShownProps {
  live: LiveRun
  details: RunDetails
  instant: RunInstant
  query: URLSearchParams
}

function Shown({ live, details, instant, query }: ShownProps) {
  const { events, news, connection, refusal, refresh } = live
  const { name, dagRunId } = details
  const input = Number(query.get('at') ?? Number.NaN)
  const at = Number.isInteger(input) ? input : undefined
  const pathAt = (seq: number) => `/dag-runs${pathOf(name, dagRunId)}/actors?at=${seq}&brief=true`
  const next = at === undefined || details.nodes.length > MOST_AHEAD ? undefined : seqAfter(events, at)
  const then = usePast<RunInstant>(
    at === undefined ? undefined : pathAt(at),
    next === undefined ? undefined : pathAt(next)
  )
  const moment: Moment = useMemo(() => {
    if (at === undefined) return momentNow(details, instant, events, news)
    // The event is known before the state at that event.
    const event = events.findLast(({ seq }) => seq <= at)
    return momentThen(details, then.value, events, then.value?.happenedAtMs ?? (event ? eventAt(event) : 0))
  }, [details, instant, news, events, at, then.value])
  const view = VIEWS.find(([it]) => it === query.get('view'))?.[0] ?? 'graph'
  const side = SIDES.find((it) => it === query.get('side')) ?? 'facts'
  const selected = query.get('step') ?? undefined
  const node = moment.nodes.find((it) => it.name === selected)
  // Not from the details: those of a large run lag behind its steps.
  const labelNow = node
    ? (news.get(node.name) ?? instant.nodes.find(({ step }) => step === node.name)?.statusLabel)
    : instant.statusLabel
  useFailureFirst(details, moment.nodes, query)
  const select = useCallback((step: string | undefined) => changeQuery({ step, line: undefined, actor: undefined }), [])
  // From step to step by the arrow keys.
  const pass = useCallback(
    (step: string) =>
      changeQuery({ step, line: undefined, actor: undefined }, selected === undefined ? 'push' : 'replace'),
    [selected]
  )
  const { place, inspector, open, close } = usePanel(select)
  const share = useShare()
  const isPast = at !== undefined
  const travel = useCallback(
    // Back leads from the past to now.
    (seq: number | undefined) =>
      changeQuery({ at: seq === undefined ? undefined : String(seq), line: undefined }, isPast ? 'replace' : 'push'),
    [isPast]
  )
  const goToFailure = useCallback(
    (seq: number, step: string | undefined) =>
      changeQuery({ at: String(seq), step, line: undefined, actor: undefined }),
    []
  )
  const points = query.getAll('break')
  const addBreak = (actor: string, state: string) =>
    changeQuery({ break: [...new Set([...points, breakpointOf(actor, state)])] })
  // No event of the run says that one which it has called waits.
  const asking = useWaits().mine.filter(({ rootDAGRunId }) => rootDAGRunId === details.rootDAGRunId)
  const asked = asking.map(({ dagRunId: of, step }) => `${of} ${step}`).join()
  useEffect(() => {
    if (asked !== '') refresh()
  }, [asked])
  const isLive = details.statusLabel === 'running' || details.statusLabel === 'queued'
  const graphKey = useMemo(() => graphKeyOf(details.nodes.map(({ step }) => step)), [details])
  const nodes = useMemo(() => moment.nodes.map(dagNode), [moment])
  return (
    <div class="run">
      <RunCrumbs details={details} isLive={isLive} />
      <RunHead
        details={details}
        moment={moment}
        events={events}
        connection={isLive ? connection : undefined}
        onChanged={refresh}
      />
      {refusal && <Problem refusal={refusal} retry={refresh} />}
      {at !== undefined && <Problem refusal={then.refusal} />}
      <TimeSlider
        events={events}
        at={at}
        isLive={isLive}
        points={points}
        onTravel={travel}
        onFailure={goToFailure}
        onRemove={(point) => changeQuery({ break: points.filter((it) => it !== point) })}
      />
      <div {...shareStyle(share)} ref={place}>
        <Tabs
          label="Views of the run"
          names={VIEWS}
          chosen={view}
          onChoose={(next: ViewName) => changeQuery({ view: next === 'graph' ? undefined : next })}
          kind="views"
        >
          {view === 'graph' && (
            <DagView nodes={nodes} graphKey={graphKey} selected={selected} onSelect={pass} onOpen={open} />
          )}
          {view === 'steps' && (
            <StepTable moment={moment} events={events} at={at} selected={selected} onSelect={open} />
          )}
          {view === 'events' && <EventList events={events} at={at} selected={selected} onTravel={travel} />}
          {view === 'messages' && (
            <SequenceView
              name={name}
              dagRunId={dagRunId}
              at={at}
              latest={events.at(-1)}
              selected={selected}
              onTravel={travel}
            />
          )}
          {view === 'logs' && (
            <LogsView details={details} moment={moment} events={events} isGrowing={isLive} query={query} />
          )}
          {view === 'compare' && <Compare details={details} />}
        </Tabs>
        <Divider place={place} share={share} />
        <Inspector
          place={inspector}
          details={details}
          moment={moment}
          node={node}
          isAtWork={labelNow === 'running'}
          events={events}
          at={at}
          side={side}
          actor={query.get('actor') ?? undefined}
          onBreak={addBreak}
          onSide={(next) => changeQuery({ side: next === 'facts' ? undefined : next, line: undefined })}
          onClose={close}
          onChanged={refresh}
        />
      </div>
    </div>
  )
}

/** In a larger run the next moment is not prefetched. */
const MOST_AHEAD = 100

const seqAfter = (events: LiveRun['events'], at: number) => events.find(({ seq }) => seq > at)?.seq

const dagNode = (moment: Moment['nodes'][number]): DagNode => {
  const { name, isHandler, label, waitingFor, node } = moment
  return {
    name,
    isHandler,
    depends: node.step.depends ?? [],
    ...(label ? { label } : { isAwaited: true }),
    ...(waitingFor ? { isWaiting: true } : {}),
    detail: label === undefined ? '…' : detailOf(moment, label)
  }
}

/** Words for a step that its mark does not say already. */
function detailOf(
  { retries, waitingFor, startedAt, finishedAt, node: { step } }: Moment['nodes'][number],
  label: NodeLabel
): string {
  const tried = triedText(retries, step)
  if (tried) return tried
  if (step.call && !waitingFor) return `Calls ${step.call}`
  const isPlain = label === 'succeeded' && startedAt !== undefined && finishedAt !== undefined
  return isPlain ? lengthText(finishedAt - startedAt) : stateText(label, waitingFor, now())
}

function triedText(retries: Moment['nodes'][number]['retries'], { repeatPolicy }: Step): string | undefined {
  if (!retries) return undefined
  const { made, isWaiting } = retries
  if (isWaiting) return `Waiting for retry ${made + 1}`
  if (made === 0) return undefined
  // Executions of a step that repeats include its passes.
  return repeatPolicy ? `Retried ${timesText(made)}` : `${made + 1} attempts`
}
