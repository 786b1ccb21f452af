/** Invoked actors of a model: who is at work, and for whom. */
import { needed } from '../../../support/charts/model.ts'
import type { Hand, Stage } from '../../../support/charts/stage.ts'

export const invokedActorsOf = (stage: Stage, ...slots: string[]) =>
  Object.fromEntries(slots.map((slot) => [slot, stage.invokedActor(slot)])) as never // what they are told is `EventObject` here
export const first = (stage: Stage, slot: string, of?: string): Hand => needed(stage.live(slot, of)[0])
/** Who is at work for whom. */
export const servicesOf = ({ hands }: Stage) =>
  hands.filter(({ over }) => !over).map(({ slot, of, told }) => `${slot} of ${of} ${told.map(({ type }) => type)}`)
