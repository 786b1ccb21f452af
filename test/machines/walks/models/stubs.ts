/** Invoked actors of a model: which are active, and for which parent. */
import { needed } from '../../../support/charts/model.ts'
import type { InvokedStub, Stage } from '../../../support/charts/stage.ts'

export const first = (stage: Stage, slot: string, of?: string): InvokedStub => needed(stage.live(slot, of)[0])
/** Which actors are active, and for which parent. */
export const servicesOf = ({ invoked }: Stage) =>
  invoked
    .filter(({ over }) => !over)
    .map(({ slot, of, received }) => `${slot} of ${of} ${received.map(({ type }) => type)}`)
