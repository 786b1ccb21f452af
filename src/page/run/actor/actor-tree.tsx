/** The actors of a run as a tree, each with its state at the moment that is shown. */
import { useMemo } from 'preact/hooks'
import type { JournalEvent } from '../../answers.ts'
import { Option, Windowed } from '../../parts/windowed.tsx'
import { addressText } from '../journal/event-text.ts'

export interface ActorNow {
  address: string
  /** 0: the run itself. */
  depth: number
  step?: string
  state: string
}

/** Actors that have had an event by then, parents before children. @param at `seq` of the event that is shown; undefined: now */
function actorsAt(events: readonly JournalEvent[], name: string, dagRunId: string, at: number | undefined): ActorNow[] {
  const run = `run/${name}/${dagRunId}`
  const found = new Map<string, ActorNow>()
  for (const { seq, actor, from, to, step } of events) {
    if (at !== undefined && seq > at) break
    if (actor !== run && !actor.startsWith(`${run}/`)) continue
    // A retry of the run has actors of its own.
    if (actor === run && from === '') found.clear()
    // `node/load` is a child of the run, `node/load/attempt` one of that.
    const depth = actor === run ? 0 : actor.slice(run.length).split('/').length - 2
    const own = step ?? found.get(parentOf(actor))?.step
    found.set(actor, { address: actor, depth, state: to, ...(own === undefined ? {} : { step: own }) })
  }
  const inner = new Map<string, ActorNow[]>()
  for (const actor of found.values())
    if (actor.depth > 1) inner.set(parentOf(actor.address), [...(inner.get(parentOf(actor.address)) ?? []), actor])
  return [...found.values()].flatMap((actor) => (actor.depth > 1 ? [] : [actor, ...(inner.get(actor.address) ?? [])]))
}

const parentOf = (address: string): string => address.slice(0, address.lastIndexOf('/'))

interface Props {
  events: readonly JournalEvent[]
  name: string
  dagRunId: string
  at: number | undefined
  chosen: string | undefined
  onChoose: (actor: ActorNow) => void
}

const ROW_PX = 28

export function ActorTree({ events, name, dagRunId, at, chosen, onChoose }: Props) {
  const actors = useMemo(() => actorsAt(events, name, dagRunId, at), [events, name, dagRunId, at])
  const index = actors.findIndex(({ address }) => address === chosen)
  return (
    <details class="actors">
      <summary>
        {actors.length} actor{actors.length === 1 ? '' : 's'}
      </summary>
      <Windowed
        label="Actors"
        kind="actor-tree"
        of={actors}
        rowPx={ROW_PX}
        chosen={index}
        onChoose={onChoose}
        idOf={({ address }) => `actor-${address}`}
        row={(actor, to) => (
          <Option
            key={actor.address}
            id={`actor-${actor.address}`}
            kind={`actor depth-${actor.depth}`}
            title={`${addressText(actor.address, name, dagRunId)}: ${actor.state}`}
            isChosen={to === index}
            onChoose={() => onChoose(actor)}
          >
            <span>{addressText(actor.address, name, dagRunId)}</span>
            <span class="soft mono">{actor.state}</span>
          </Option>
        )}
      />
    </details>
  )
}
