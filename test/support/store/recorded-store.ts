/** The runs of a recorded store: one in each state that outlives the engine, and one of each end. Every release records them again. */
import { planHash } from '../../../src/actors/run/plan-hash.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { simulatedClock } from '../simulated/simulated-clock.ts'
import { type Script, type Simulation, simulate } from '../simulated/simulation.ts'

/** By DAG name; the run's id is `r`. */
const DEFINITIONS: Record<string, string> = {
  retrying: 'steps: [{name: bad, command: x, retryPolicy: {limit: 3, intervalSec: 3600}}]',
  repeating:
    'steps: [{name: again, command: x, repeatPolicy: {repeat: while, limit: 3, intervalSec: 3600, exitCode: [0]}}]',
  delaying: 'delaySec: 3600\nsteps: [{name: late, command: x}]',
  working: `timeoutSec: 36000
steps:
  - {name: good, command: x}
  - {name: long, command: x, depends: good, timeoutSec: 7200}
  - {name: after, command: x, depends: long}`,
  exiting: 'handlerOn: {exit: {command: x}}\nsteps: [{name: bad, command: x}]',
  calling: `name: calling
steps: [{name: p, call: inner, parallel: {items: [a, b, c], maxConcurrent: 2}, params: "I=\${ITEM}"}]
---
name: inner
params: I=x
steps: [{name: long, command: echo $I}]`,
  succeeded: 'handlerOn: {success: {command: x}}\nsteps: [{name: good, command: x}]',
  failed: 'steps: [{name: bad, command: x}, {name: never, command: x, depends: bad}]',
  partial: 'steps: [{name: bad, command: x, continueOn: {failure: true}}, {name: good, command: x, depends: bad}]'
}

const isLong = (step: string) => step === 'long' || step === 'onExit'
/** An hour for `long` and the exit handler, a second for others; `bad` fails. */
const slowly: Script = (step) => ({ ms: isLong(step) ? 3_600_000 : 1_000, exitCode: step === 'bad' ? 1 : 0 })
/** Everything comes to its end soon. */
export const quickly: Script = (step) => ({ ms: 1_000, exitCode: step === 'bad' ? 1 : 0 })

/** Leaves the store below `home` as it is a minute after the start. @returns when that was, epoch ms */
export async function recordStore(home: string): Promise<number> {
  const clock = simulatedClock()
  const simulation = await simulate(home, slowly, clock)
  for (const [name, text] of Object.entries(DEFINITIONS)) await simulation.start(specOf(name, text), 'r')
  await enqueue(simulation, specOf('working', DEFINITIONS.working ?? ''))
  const until = clock.now() + 60_000
  clock.at(until, () => {})
  await simulation.play(() => clock.now() >= until)
  await simulation.crash()
  return until
}

const specOf = (name: string, text: string) => (text.startsWith('name:') ? text : `name: ${name}\n${text}`)

/** One that waits because another of its name runs. */
async function enqueue({ system, clock }: Simulation, spec: string): Promise<void> {
  const { plan } = readDefinition(spec)
  if (!plan) throw new Error('the definition has problems')
  const workflow = { plan, spec }
  const { name } = plan
  await system.start({
    record: {
      name,
      dagRunId: 'queued',
      status: 'queued',
      attempt: 1,
      createdAt: clock.now(),
      params: [],
      queue: name,
      log: '/logs/run.log',
      nodeLogs: '/logs/1',
      plan: planHash(workflow)
    },
    plan: workflow,
    singleton: false,
    enqueue: { bounded: false }
  })
}
