/**
 * The same as bare actors of XState: a state for each step, which invokes a promise. Nothing is stored, recorded or named by a run, so
 * this is the least that a statechart which decides about each step can cost.
 */
import { createActor, fromPromise, setup, toPromise } from 'xstate'
import { playRounds } from './rounds.ts'

const { createMachine } = setup({
  actors: { count: fromPromise<{ i: number }, { i: number }>(async ({ input }) => ({ i: input.i })) }
})

const stepOf = (i: number, target: string) => ({ invoke: { src: 'count' as const, input: { i }, onDone: target } })
const numbers = (steps: number) => Array.from({ length: steps }, (_, i) => i)

const chainOf = (steps: number) =>
  createMachine({
    initial: 's0',
    states: {
      ...Object.fromEntries(numbers(steps).map((i) => [`s${i}`, stepOf(i, i + 1 < steps ? `s${i + 1}` : 'succeeded')])),
      succeeded: { type: 'final' as const }
    }
  })

const fanOf = (steps: number) =>
  createMachine({
    type: 'parallel',
    states: Object.fromEntries(
      numbers(steps).map((i) => [
        `s${i}`,
        { initial: 'at', states: { at: stepOf(i, 'succeeded'), succeeded: { type: 'final' as const } } }
      ])
    )
  })

await playRounds(async (runs, steps, isWide) => {
  const machine = isWide ? fanOf(steps) : chainOf(steps)
  const actors = Array.from({ length: runs }, () => createActor(machine).start())
  for (const actor of actors) {
    await toPromise(actor)
    const { status } = actor.getSnapshot()
    if (status !== 'done') throw new Error(`a run is ${status}`)
  }
})
