/** Explanations of runs of a simulated engine, and which causes tests have met. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Capture } from '../../../src/executors/launcher/capture.ts'
import type { Explanation, Facts, Reason } from '../../../src/inspect/inspection.ts'
import { temporaryFolder } from '../homes.ts'
import type { SimulatedClock } from '../simulated/simulated-clock.ts'
import { simulatedFacts } from '../simulated/simulated-facts.ts'
import { type Script, type Simulation, simulate, type World } from '../simulated/simulation.ts'

/** A situation that a run is brought into. */
export interface Brought {
  spec: string
  /** Default: a step takes 10 s and succeeds. */
  script?: Script
  /** Commands in backticks and conditions that never end, by a word in them. */
  hangs?: string
  /** Conditions that do not hold, by a word in them. */
  fails?: string
  /** Goes on until an actor whose address ends so comes into this state; absent: until the run has ended. */
  until?: [address: string, path: string]
  /** What is done then. */
  act?: (simulation: Simulation, key: RunKey) => unknown
  /** Goes on after that; absent: not at all. */
  next?: [address: string, path: string] | 'end'
  world?: World
  home?: string
  clock?: SimulatedClock
}

export interface Met {
  facts: Facts
  key: RunKey
  simulation: Simulation
  reasons: Reason[]
  /** Causes by what they are about, several joined by a blank. */
  causes: Record<string, string>
  /** The reason about a step, a handler, or the run. */
  about(name: string): Reason
}

export function causesIn({ reasons }: Explanation): Record<string, string> {
  const causes: Record<string, string> = {}
  for (const { about, cause, text } of reasons) {
    if (text === '' || /undefined|NaN|\[object|\(\)/.test(text))
      throw new Error(`${cause} says ${JSON.stringify(text)}`)
    causes[about.name] = causes[about.name] === undefined ? cause : `${causes[about.name]} ${cause}`
  }
  return causes
}

/** Brings a run named `dag` into a situation and asks why. */
export async function brought(wish: Brought): Promise<Met> {
  const { hangs, fails, script = () => ({ ms: 10_000, exitCode: 0 }), home = temporaryFolder(), clock } = wish
  const capture: Capture = async (request) => {
    const text = JSON.stringify(request)
    if (hangs !== undefined && text.includes(hangs)) return new Promise(() => {})
    const isMet = fails === undefined || !text.includes(fails)
    return { exitCode: isMet ? 0 : 1, cause: isMet ? '' : 'exit status 1', stdout: '', stderr: '' }
  }
  const simulation = await simulate(home, script, clock, { capture, ...wish.world })
  const key = await simulation.start(`name: dag\n${wish.spec}`, 'r')
  const reach = (goal: Brought['until']) =>
    goal === undefined
      ? simulation.play()
      : simulation.play(() =>
          simulation.journal(key).some(({ actor, to }) => actor.endsWith(goal[0]) && to === goal[1])
        )
  await reach(wish.until)
  await wish.act?.(simulation, key)
  if (wish.next) await reach(wish.next === 'end' ? undefined : wish.next)
  return metIn(simulation, key)
}

/** What is said of a run now. */
export function metIn(simulation: Simulation, key: RunKey): Met {
  const facts = simulatedFacts(simulation)
  const explanation = facts.explain(key)
  const { reasons } = explanation
  return {
    facts,
    key,
    simulation,
    reasons,
    causes: causesIn(explanation),
    about(name) {
      const found = reasons.find(({ about }) => about.name === name)
      if (found) return found
      throw new Error(`nothing is said of ${name}; there is ${reasons.map(({ about }) => about.name).join(', ')}`)
    }
  }
}
