/** Journal events in a few words. */
import type { JournalEvent } from '../../answers.ts'

/** Epoch ms. */
export const eventAt = ({ atMs, at }: JournalEvent): number => atMs ?? Date.parse(at)

/** The part of an address that differs between the actors of one run, such as `node/load`; for an actor outside the run, all of it. */
export function actorText({ actor, name, dagRunId }: Pick<JournalEvent, 'actor' | 'name' | 'dagRunId'>): string {
  const run = `run/${name}/${dagRunId}`
  if (actor === run) return 'run'
  return actor.startsWith(`${run}/`) ? actor.slice(run.length + 1) : actor
}

/** The words for an address of which only the run is known. */
export const addressText = (address: string, name: string, dagRunId: string): string =>
  actorText({ actor: address, name, dagRunId })

/** XState's own events in words: `init`, and for the end of an actor its address, `node/load done`. */
export const eventName = ({ event }: Pick<JournalEvent, 'event'>): string =>
  event.replace(/^xstate\.(done|error)\.actor\.(.+)$/, '$2 $1').replace(/^xstate\./, '')
