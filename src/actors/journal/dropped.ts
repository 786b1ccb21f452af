/**
 * Drops a child that has done its work and never ends by itself, in place: `stopChild` copies all the others, of which there may be a
 * thousand. XState's actor system keeps a child until it is told, which its types do not say. Pinned in
 * `test/actors/journal/xstate-pins-actors.test.ts`.
 */
import type { AnyActorRef } from 'xstate'

interface KeepsActors {
  _unregister(actor: AnyActorRef): void
}

// D1776: a child that ends by a message is taken out of the actor system, too
/** @param idOf the id of the child, from the message that it has ended */
export const dropped =
  <P>(idOf: (ended: P) => string) =>
  ({ self, system }: { self: AnyActorRef; system: unknown }, ended: P): void => {
    const { children }: { children: Record<string, AnyActorRef | undefined> } = self.getSnapshot()
    const id = idOf(ended)
    const child = children[id]
    delete children[id]
    if (child) (system as KeepsActors)._unregister(child) // pinned
  }
