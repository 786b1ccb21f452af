/** Restores the whole context of an actor, as its guards see it, from what the journal has of it. Source: docs/inspect.md. */
import { openCall } from '../../machines/call.ts'
import { openRunState } from '../../machines/policy/readiness.ts'
import { interruption } from '../../machines/run/run-context.ts'
import type { HandlerName, NodePlace, NodeRecord, OnlyNodes, Plan, RunKey, Step } from '../../machines/vocabulary.ts'
import { type ActorState, nodeIn, type ReplayedRun } from './replay.ts'

type Context = Record<string, unknown>

export interface PlacedStep {
  place: NodePlace
  step: Step
  /** Address of its node. */
  address: string
}

/** The steps and handlers of a plan in a run. */
export interface Places {
  /** Every step with its index and address: the steps in order, then the handlers. */
  places: PlacedStep[]
  byName: ReadonlyMap<string, PlacedStep>
}

/** @param run address of the run */
export function placesOf(plan: Plan, run: string): Places {
  const before = latest.get(plan)
  if (before?.run === run) return before
  const places = [
    ...plan.steps.map((step, place) => ({ place, step, address: `${run}/node/${step.name}` })),
    ...Object.values(plan.handlers).map((step) => {
      const place = step.name as HandlerName // as the reader of the definition names it
      return { place, step, address: `${run}/handler/${place}` }
    })
  ]
  const found = { run, places, byName: new Map(places.map((placed) => [placed.step.name, placed])) }
  latest.set(plan, found)
  return found
}
/** Cached for the latest run: clients that watch one ask repeatedly. */
const latest = new WeakMap<Plan, Places & { run: string }>()

/** The record of a node at that event, or of one without events. */
export const nodeAt = (state: ReplayedRun, { place, step, address }: PlacedStep): NodeRecord =>
  nodeIn(state, address) ??
  state.kept.get(place) ?? { step: step.name, status: 'not_started', retryCount: 0, doneCount: 0 }

/** The context as it was stored with the latest event; without outputs. */
export function storedContext(actor: ActorState, plan: Plan, placed: PlacedStep | undefined): Context {
  const { memory, kind } = actor
  if (kind === 'run' || !placed) return { ...memory }
  const { place, step } = placed
  if (kind === 'call') return { ...memory, place, parallel: step.parallel !== undefined }
  const retry = memory.retry ?? (Number(memory.attempt) > 0 ? step.retry : undefined)
  return {
    ...memory,
    place,
    startedAt: memory.at,
    cleanUpMs: step.cleanUpMs ?? plan.cleanUpMs,
    ...(retry === undefined ? {} : { retry }),
    ...interruption({ plan }, step)
  }
}

/** The context of a run with everything that guards read. */
export function wholeContext(
  run: RunKey,
  plan: Plan,
  state: ReplayedRun,
  actor: ActorState,
  placed: PlacedStep | undefined,
  places: PlacedStep[]
): Context {
  const stored = storedContext(actor, plan, placed)
  if (actor.kind === 'node') return { ...stored, run, step: placed?.step }
  if (actor.kind === 'call') return { ...openCall(stored as never), ...stored, run } // its own members come last; those that are missing stay undefined
  const known = places.flatMap((placed) => {
    if (typeof placed.place !== 'number') return []
    const { status, continues } = nodeAt(state, placed)
    return [{ status, continues }]
  })
  const { maxActiveSteps, steps } = plan
  const runState = openRunState(steps, maxActiveSteps, known, {
    stopped: stored.stop !== undefined,
    only: onlyIn(stored)
  })
  return { ...stored, key: run, plan, runState }
}

/** The only nodes that the attempt runs, as the memory of its actor has them. */
export function onlyIn({ only }: Record<string, unknown>): OnlyNodes | undefined {
  return typeof only === 'number' || Array.isArray(only) ? only : undefined
}
