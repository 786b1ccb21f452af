/** Up to four logs beside each other, each of which follows its step. What is shown is in the address. */
import { useRef } from 'preact/hooks'
import type { JournalEvent, RunDetails } from '../../answers.ts'
import { pathOf } from '../../api.ts'
import { changeQuery } from '../../route.ts'
import { eventBefore } from '../journal/event-before.ts'
import type { Moment } from '../moment.ts'
import { StepLog } from '../step/step-log.tsx'
import { anotherPane, firstPanes, MOST_PANES, type Pane, panesOf, paneText } from './panes.ts'

const STREAMS = [
  ['stdout', 'Output'],
  ['stderr', 'Errors']
] as const

interface Props {
  details: RunDetails
  moment: Moment
  events: readonly JournalEvent[]
  query: URLSearchParams
}

export function LogPanes({ details, moment, events, query }: Props) {
  const room = useRef<HTMLDivElement>(null)
  const { nodes } = moment
  const inAddress = panesOf(query.getAll('pane'))
  const panes = inAddress.length > 0 ? inAddress : firstPanes(nodes, query.getAll('log'))
  const show = (next: readonly Pane[]) => changeQuery({ pane: next.map(paneText), line: undefined })
  const another = anotherPane(nodes, panes)
  const add = () => another && show([...panes, another])
  const close = (at: number) => {
    show(panes.filter((_, index) => index !== at))
    // What was pressed is gone.
    requestAnimationFrame(() => room.current?.querySelector<HTMLElement>('.pane select')?.focus())
  }
  const names = nodes.map(({ name }) => name)
  return (
    <div ref={room} class={`panes of-${panes.length}`}>
      <div class="log-tools">
        {panes.length < MOST_PANES && another && (
          <button type="button" class="button small" onClick={add}>
            Add a log
          </button>
        )}
      </div>
      {panes.map((pane, at) => {
        const { step, stream } = pane
        const node = nodes.find(({ name }) => name === step)
        const change = (changed: Partial<Pane>) =>
          show(panes.map((one, index) => (index === at ? { ...one, ...changed } : one)))
        return (
          <section key={paneText(pane)} class="pane" aria-label={`${streamText(stream)} of ${step}`}>
            <header>
              <label class="field">
                <span class="unseen">Step of log {at + 1}</span>
                <select value={step} onChange={({ currentTarget }) => change({ step: currentTarget.value })}>
                  {(node ? names : [step, ...names]).map((name) => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
              <label class="field">
                <span class="unseen">Stream of log {at + 1}</span>
                <select
                  value={stream}
                  onChange={({ currentTarget }) =>
                    change({ stream: STREAMS[currentTarget.selectedIndex]?.[0] ?? 'stdout' })
                  }
                >
                  {STREAMS.map(([value, text]) => (
                    <option key={value} value={value}>
                      {text}
                    </option>
                  ))}
                </select>
              </label>
              {panes.length > 1 && (
                <button
                  type="button"
                  class="plain round"
                  aria-label={`Close log ${at + 1}`}
                  title="Close"
                  onClick={() => close(at)}
                >
                  ×
                </button>
              )}
            </header>
            {node ? (
              <StepLog
                // A retry writes to other files.
                file={node.node[stream]}
                attempt={details.attempt}
                path={`/dag-runs${pathOf(details.name, details.dagRunId)}/steps${pathOf(step)}/log`}
                stream={stream}
                isGrowing={node.node.statusLabel === 'running'}
                label={`${streamText(stream)} of ${step}`}
                pane={paneText(pane)}
                moment={moment.at}
                onLine={(second) => {
                  const event = eventBefore(events, step, second)
                  return event && { at: String(event.seq) }
                }}
              />
            ) : (
              <p class="soft">The run has no step {step}.</p>
            )}
          </section>
        )
      })}
    </div>
  )
}

const streamText = (stream: Pane['stream']): string => (stream === 'stderr' ? 'Errors' : 'Output')
