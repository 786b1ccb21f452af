/** The panel of the selected step, or of the run: details and reasons, chart, log. */
import type { Ref } from 'preact'
import type { JournalEvent, RunDetails } from '../answers.ts'
import { pathOf } from '../api.ts'
import { now } from '../clock.ts'
import { isTyped } from '../keys.ts'
import { Status } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { RunWaits } from '../waits/run-waits.tsx'
import { ActorChart } from './actor/actor-chart.tsx'
import { AttemptsCard } from './failure/attempts-card.tsx'
import { FailureCard } from './failure/failure-card.tsx'
import { firstFailed } from './failure/failures.ts'
import { eventBefore } from './journal/event-before.ts'
import type { Moment, NodeMoment } from './moment.ts'
import { RunFacts } from './run-facts.tsx'
import { NodeActions } from './step/node-actions.tsx'
import { NodeFacts } from './step/node-facts.tsx'
import { StepLog } from './step/step-log.tsx'
import { WaitForm } from './step/wait-form.tsx'
import { Values } from './values/step-values.tsx'
import { Why } from './why.tsx'

/** The form to answer says them, and asks the question. */
const ASKED = ['approval_wait', 'signal_wait']

export type Side = 'facts' | 'values' | 'chart' | 'out' | 'err'

interface Props {
  place: Ref<HTMLElement>
  details: RunDetails
  moment: Moment
  /** Undefined: the run itself. */
  node: NodeMoment | undefined
  /** The step is running now, whatever moment is shown: its log grows. */
  isAtWork: boolean
  events: readonly JournalEvent[]
  at: number | undefined
  side: Side
  /** The actor whose chart is shown; undefined: the first. */
  actor: string | undefined
  onBreak: (actor: string, state: string) => void
  onSide: (side: Side) => void
  onClose: () => void
  onChanged: () => void
}

export function Inspector(props: Props) {
  const { place, details, moment, node, isAtWork, events, at, side, actor, onBreak, onSide, onClose, onChanged } = props
  const { name, dagRunId } = details
  const run = `/dag-runs${pathOf(name, dagRunId)}`
  const latest = events.at(-1)
  const about = node?.name ?? name
  const log = node ? `${run}/steps${pathOf(node.name)}/log` : `${run}/log`
  const names = node
    ? ([
        ['facts', 'Details'],
        ['values', 'Values'],
        ['chart', 'Chart'],
        ['out', 'Output'],
        ['err', 'Errors']
      ] as const)
    : ([
        ['facts', 'Details'],
        ['chart', 'Chart'],
        ['out', 'Run log']
      ] as const)
  const isPast = at !== undefined
  const first = firstFailed(moment.nodes)
  // The log of a step that has been retried since is another one.
  const isLatest = node?.isAsNow && (!isPast || node.node.statusLabel === 'failed')
  const failed = node ? (node.label === 'failed' && isLatest ? node : undefined) : isPast ? undefined : first
  const card = node || details.statusLabel === 'failed' ? failed : undefined
  const chosen = names.some(([it]) => it === side) ? side : 'facts'
  return (
    <aside
      ref={place}
      class="inspector"
      aria-label={node ? `Step ${about}` : 'Run'}
      onKeyDown={(event) => node && event.key === 'Escape' && !isTyped(event) && onClose()}
    >
      {node ? (
        <header>
          <h2 tabIndex={-1}>{about}</h2>
          {node.isHandler && <span class="chip">Handler</span>}
          {node.label && <Status label={node.label} waitingFor={node.waitingFor} />}
          <button
            type="button"
            class="plain round"
            aria-label="Close: show the run"
            title="Show the run"
            onClick={onClose}
          >
            ×
          </button>
        </header>
      ) : (
        <h2 class="unseen">{about}</h2>
      )}
      <Tabs label={`Views of ${about}`} names={names} chosen={chosen} onChoose={onSide}>
        {chosen === 'facts' && (
          <>
            {at === undefined && !node && <RunWaits details={details} now={now()} onChanged={onChanged} />}
            <div class={card ? 'failure' : undefined}>
              {at === undefined && (
                <Why
                  path={`${run}/explain${node ? `?step=${encodeURIComponent(node.name)}` : ''}`}
                  latest={latest}
                  without={ASKED}
                />
              )}
              {card && (
                <FailureCard
                  key={card.name}
                  path={run}
                  details={details}
                  node={card}
                  isFirst={card === first}
                  isInRun={!node}
                  events={events}
                  at={at}
                  onChanged={onChanged}
                />
              )}
            </div>
            {node && at === undefined && node.node.waitingFor && node.node.waitingFor.for !== 'sleep' && (
              <WaitForm
                key={node.name}
                details={details}
                step={node.name}
                waiting={node.node.waitingFor}
                now={now()}
                onChanged={onChanged}
              />
            )}
            {node ? (
              <NodeFacts {...node} at={moment.at} isErrorShown={card !== undefined} />
            ) : (
              <RunFacts details={details} at={moment.at} isErrorShown={card !== undefined} />
            )}
            {node && !card && <NodeActions details={details} node={node} isPast={isPast} onChanged={onChanged} />}
          </>
        )}
        {chosen === 'chart' && (
          <ActorChart
            name={name}
            dagRunId={dagRunId}
            step={node?.name}
            wanted={actor}
            events={events}
            at={at}
            onBreak={onBreak}
          />
        )}
        {chosen === 'facts' && node && !failed && (
          <AttemptsCard path={run} step={node.name} latest={details.attempt} events={events} at={at} />
        )}
        {chosen === 'values' && node && (
          <Values path={run} step={node.name} at={at} cause={(node.startedAt ?? 0) + (node.finishedAt ?? 0)} />
        )}
        {(chosen === 'out' || chosen === 'err') && (
          <StepLog
            // A retry writes to other files.
            file={node ? node.node[chosen === 'out' ? 'stdout' : 'stderr'] : String(details.attempt)}
            attempt={node ? details.attempt : undefined}
            path={log}
            stream={node ? (chosen === 'out' ? 'stdout' : 'stderr') : ''}
            isGrowing={isAtWork}
            label={`${chosen === 'err' ? 'Errors' : 'Output'} of ${about}`}
            moment={at === undefined ? undefined : moment.at}
            onLine={(second) => {
              const event = eventBefore(events, node?.name, second)
              return event && { at: String(event.seq) }
            }}
          />
        )}
      </Tabs>
    </aside>
  )
}
