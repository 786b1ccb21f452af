/**
 * The same as bare actors of XState: a state for each step, which invokes a promise. Nothing is stored, recorded or named by a run, so
 * this is the least that a statechart which decides about each step can cost. Prints one line of JSON.
 */
import { createActor, fromPromise, setup, toPromise } from 'xstate'

const { createMachine } = setup({
  actors: { count: fromPromise<{ i: number }, { i: number }>(async ({ input }) => ({ i: input.i })) }
})

const chainOf = (steps: number) =>
  createMachine({
    initial: 's0',
    states: {
      ...Object.fromEntries(
        Array.from({ length: steps }, (_, i) => [
          `s${i}`,
          { invoke: { src: 'count' as const, input: { i }, onDone: i + 1 < steps ? `s${i + 1}` : 'succeeded' } }
        ])
      ),
      succeeded: { type: 'final' as const }
    }
  })

async function measured(runs: number, steps: number) {
  const [begun, used] = [performance.now(), process.cpuUsage()]
  const machine = chainOf(steps)
  const actors = Array.from({ length: runs }, () => createActor(machine).start())
  for (const actor of actors) {
    await toPromise(actor)
    const { value } = actor.getSnapshot()
    if (value !== 'succeeded') throw new Error(`a run is ${String(value)}`)
  }
  const { user, system } = process.cpuUsage(used)
  const all = runs * steps
  return { perSecond: (all / (performance.now() - begun)) * 1_000, cpuMs: (user + system) / 1_000 / all }
}

await measured(1, 50)
console.log(JSON.stringify({ chain: await measured(1, 200), wide: await measured(50, 10) }))
