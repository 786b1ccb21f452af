/** Runs of one step `a` whose engine crashes and comes back, on a real store and a simulated clock. */
import type { Plan, RunKey } from '../../../machines/vocabulary.ts'
import type { ExecutionEnd, Running } from '../../../src/executors/executor.ts'
import { plan, type StepWish, step } from '../charts/plans.ts'
import { temporaryFolder } from '../homes.ts'
import { simulatedClock } from '../simulated/simulated-clock.ts'
import { type Script, type Simulation, simulate, type World } from '../simulated/simulation.ts'

export const one = (wish: StepWish, also: Partial<Plan> = {}) => plan([step('a', wish)], also)
export const quick: Script = () => ({ ms: 1_000, exitCode: 0 })
export const ends =
  (...codes: number[]): Script =>
  (_, n) => ({ ms: 1_000, exitCode: codes[n - 1] ?? 0 })

/** Goes on until a node or the run itself is in `state`, crashes, and comes back `later` ms after that. */
export async function crashedIn(
  state: string,
  workflow: Plan,
  {
    script = quick,
    later = 5,
    before = {},
    after = {}
  }: { script?: Script; later?: number; before?: World; after?: World }
): Promise<{ first: Simulation; again: Simulation; key: RunKey }> {
  const home = temporaryFolder()
  const first = await simulate(home, script, simulatedClock(), before)
  const key = await first.start(workflow, 'r')
  await first.play(() => first.journal(key).some(({ to }) => to === state))
  await first.crash()
  const again = await simulate(home, script, simulatedClock(first.clock.now() + later), after)
  return { first, again, key }
}
export const nodeOf = ({ store }: Simulation, { name, dagRunId }: RunKey) =>
  store.nodes.get([name, dagRunId, 0])?.record

/** An execution of the engine that died, which lives until it is killed or asked to end. */
export function survivor() {
  let end: (exitCode: number, signal?: string) => void = () => {}
  const signals: string[] = []
  const ended = new Promise<ExecutionEnd>((resolve) => {
    end = (exitCode, signal) => resolve({ exitCode, at: 0, offset: 0, ...(signal ? { signal } : {}) })
  })
  const running: Running = {
    began: Promise.resolve(0),
    ended,
    stop: (signal) => void signals.push(signal),
    kill: () => void signals.push('kill')
  }
  return { running, signals, end: (exitCode: number, signal?: string) => end(exitCode, signal) }
}
