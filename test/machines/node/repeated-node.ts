/** A node that repeats, for tests that end its passes by hand. */
import type { Repeat } from '../../../machines/vocabulary.ts'
import { driveNode } from '../../support/charts/charts.ts'
import { repeat, type StepWish, step } from '../../support/charts/plans.ts'

export const repeated = (policy: Partial<Repeat> = {}, wish: StepWish = {}, cleanUpMs = 5_000) =>
  driveNode(step('a', { repeat: repeat(policy), ...wish }), { cleanUpMs })
type Drive = ReturnType<typeof repeated>
export const restarted = (node: Drive, policy: Partial<Repeat> = {}) =>
  driveNode(step('a', { repeat: repeat(policy) }), {
    snapshot: JSON.parse(JSON.stringify(node.actor.getPersistedSnapshot()))
  })
export const condition = { condition: 'test -f go' }
export const outputOf = (node: Drive) => node.actor.getSnapshot().output

/** One pass after another, each ending with the next code. @returns how many were started */
export function passes(node: Drive, ...codes: number[]): number {
  for (const code of codes) {
    if (node.state() === 'repeating') node.stage.advance(node.context().dueAt - node.stage.now)
    node.ends(code)
  }
  return node.attempts().length
}
