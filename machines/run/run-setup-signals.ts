/**
 * Guards and actions of the run chart: signals for steps that wait. One that comes before its step is kept, and the step gets it when it
 * starts. `run-setup.ts` adds to them. Source: embedding 2.5.
 */
import { assign, enqueueActions } from 'xstate'
import type { NodeInput } from '../node/node-context.ts'
import type { SignalGiven } from '../node/node-events.ts'
import { type SignalFate, signalFate } from '../policy/waits.ts'
import type { KeptSignal, Step } from '../vocabulary.ts'
import { nodeId, type RunContext } from './run-context.ts'
import { mailSetup } from './run-setup-mail.ts'

type Signals = NonNullable<RunContext['given']>

/** What a run says to a signal for one of its steps; a step that it does not have is no step that waits. */
export function fateOfSignal(
  { plan, runState, given, stop, killed, only }: RunContext,
  step: string,
  id?: string
): SignalFate {
  const index = plan.steps.findIndex(({ name }) => name === step)
  const isOver = stop !== undefined || killed === true || (only !== undefined && only !== index)
  return signalFate({ given, status: runState.status[index] ?? 'skipped', isOver }, step, id)
}

/** What a step that starts gets of the signals, and what is left of them: that it has got one. */
export function takeSignal(
  given: Signals | undefined,
  { name }: Step
): [Pick<NodeInput, 'given' | 'output' | 'outputMarks'>, Signals | undefined] {
  const kept = given && Object.hasOwn(given, name) ? given[name] : undefined
  if (kept?.output === undefined) return [{}, given]
  const { output, outputMarks, ...signal } = kept
  return [
    { given: signal, output, ...(outputMarks ? { outputMarks } : {}) },
    { ...given, [name]: signal }
  ]
}

export const signalsSetup = mailSetup.extend({
  guards: {
    takesSignal: ({ context }, { step, id }: SignalGiven) => fateOfSignal(context, step, id) === 'taken'
  },
  actions: {
    /** Without its payload where its step is there to take it. */
    keepSignal: assign(({ context: { given, plan, runState } }, { type: _type, step, ...signal }: SignalGiven) => {
      const { output: _output, outputMarks: _marks, ...taken } = signal
      const isThere = runState.status[plan.steps.findIndex(({ name }) => name === step)] === 'running'
      const kept: KeptSignal = isThere ? taken : signal
      return { given: { ...given, [step]: kept } }
    }),
    passSignal: enqueueActions(({ context: { plan }, enqueue, self }, signal: SignalGiven) => {
      const index = plan.steps.findIndex(({ name }) => name === signal.step)
      const step = plan.steps[index]
      const node = step && self.getSnapshot().children[nodeId(index, step)]
      if (node) enqueue.sendTo(node, signal)
    })
  }
})
