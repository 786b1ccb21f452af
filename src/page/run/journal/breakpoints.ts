/** Where playing stops: when an actor enters a state. They are in the address, so that a link has them. A pure computation. */
import type { JournalEvent } from '../../answers.ts'
import { actorText } from './event-text.ts'

/** `node/load waiting`: an actor of the run, and the path of a state. */
export type Breakpoint = string

export const breakpointOf = (actor: string, state: string): Breakpoint => `${actor} ${state}`

/** In words. */
export function breakpointText(point: Breakpoint): string {
  const { actor, state } = partsOf(point)
  return `${actor} enters ${state}`
}

/** States have no space in their paths; names of steps may. */
function partsOf(point: Breakpoint): { actor: string; state: string } {
  const at = point.lastIndexOf(' ')
  return { actor: point.slice(0, at), state: point.slice(at + 1) }
}

/** An event enters the state, or one within it, from outside. */
export function isHit(points: readonly Breakpoint[], event: JournalEvent): boolean {
  const within = (path: string, outer: string) => path === outer || path.startsWith(`${outer}.`)
  return points
    .map(partsOf)
    .some(({ actor, state }) => actorText(event) === actor && within(event.to, state) && !within(event.from, state))
}
