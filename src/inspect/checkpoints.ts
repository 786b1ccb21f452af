/** Checkpoints: a run as of an event, as changes since an earlier checkpoint. Source: architecture 9; docs/inspect.md. */
import { runId } from '../../machines/engine.ts'
import type { RunKey } from '../../machines/vocabulary.ts'
import { checkpointsUpTo } from '../store/checkpoints.ts'
import { readEntry } from '../store/damage/damaged.ts'
import type { StoredActor, StoredCheckpoint, StoredState } from '../store/entries/checkpoint-text.ts'
import type { Store } from '../store/open.ts'
import { type ActorState, blank, nothingYet, type ReplayedRun, remember } from './replay.ts'

const NODE = '/node/'

// D910: long runs have checkpoints
/** @param since event of the checkpoint that it builds on; 0: none @throws Error before the first event */
export function checkpointOf(run: RunKey, state: ReplayedRun, since: number): StoredCheckpoint {
  const { event, actors, settled, setByHand, touched, begun, kept, status, isQueued, parked } = state
  if (!event) throw new Error('nothing has happened yet')
  const from = begun > since ? 0 : since // a new attempt takes nothing over
  const own = runId(run)
  // Actors in order of creation; nodes without one follow.
  const addresses = [...new Set([...actors.keys(), ...touched.keys()])]
  return {
    at: event.at,
    from,
    begun,
    ...(status === undefined ? {} : { status }),
    ...(isQueued === undefined ? {} : { isQueued }),
    ...(parked ? { parked } : {}),
    ...(from === 0 ? { kept: [...kept] } : {}),
    actors: addresses.flatMap((address): StoredActor[] => {
      const latest = touched.get(address) ?? 0
      if (latest <= from) return []
      const actor = actors.get(address)
      const rest = address.startsWith(own) ? address.slice(own.length) : address
      const stored: StoredActor = [rest, latest, actor ? stateOf(actor, rest) : 0]
      if (settled.has(address)) stored[3] = settled.get(address) ?? 0
      if (setByHand.has(address)) [stored[3], stored[4]] = [stored[3] ?? 0, true]
      return [stored]
    })
  }
}

function stateOf({ kind, step, path, status, since, seq, memory, begunAt, isGone }: ActorState, address: string) {
  const saidByAddress = step !== undefined && address === NODE + step
  const stored: StoredState = [kind, saidByAddress ? 1 : (step ?? 0), path, status ?? 0, since, seq, {}]
  const first = blank(kind)
  for (const name in memory) if (memory[name] !== first[name]) stored[6][name] = memory[name]
  for (const name in first) if (memory[name] === undefined) stored[6][name] = null
  if (begunAt !== undefined) stored[7] = begunAt
  if (isGone) [stored[7], stored[8]] = [begunAt ?? 0, true]
  return stored
}

/** The run as of the event `seq`, assembled from checkpoints; undefined: they do not have it. */
export function stateFrom(store: Store, run: RunKey, seq: number): ReplayedRun | undefined {
  const parts = checkpointsUpTo(store, run, seq)
  const event = readEntry(store.journal, [run.name, run.dagRunId, seq])
  const latest = parts?.at(-1)
  if (!parts || !event || !latest) return undefined
  const { status, isQueued, parked, begun } = latest
  const state: ReplayedRun = { ...nothingYet(), event, begun }
  if (status !== undefined) state.status = status
  if (isQueued !== undefined) state.isQueued = isQueued
  if (parked) state.parked = true
  const own = runId(run)
  for (const { actors, kept } of parts) {
    if (kept) state.kept = new Map(kept)
    for (const [rest, touched, stored, settled, byHand] of actors) {
      const address = rest === '' || rest[0] === '/' ? own + rest : rest
      state.touched.set(address, touched)
      if (stored) state.actors.set(address, actorFrom(stored, address, rest))
      if (settled) state.settled.set(address, settled)
      else state.settled.delete(address)
      if (byHand) state.setByHand.add(address)
    }
  }
  return state
}

function actorFrom(stored: StoredState, address: string, rest: string): ActorState {
  const [kind, step, path, status, since, seq, changes, begunAt, isGone] = stored
  const memory = blank(kind)
  remember(memory, changes)
  const actor: ActorState = { address, kind, path, memory, since, seq }
  if (step) actor.step = step === 1 ? rest.slice(NODE.length) : step
  if (status) actor.status = status
  if (begunAt) actor.begunAt = begunAt
  if (isGone) actor.isGone = true
  return actor
}
