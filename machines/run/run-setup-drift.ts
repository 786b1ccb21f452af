/** The guards and actions of a run that waits for its version of the code. Source: docs/embedding/upgrades.md. */
import { assign, enqueueActions, sendTo } from 'xstate'
import type { SignalGiven } from '../node/node-events.ts'
import { startNoMore } from '../policy/readiness.ts'
import { interruption, nodeId, type SupersededFrom } from './run-context.ts'
import { lostSetup } from './run-setup-lost.ts'

export const driftSetup = lostSetup.extend({
  guards: {
    supersededIn: ({ context: { superseded } }, { from }: { from: SupersededFrom }) => superseded?.from === from
  },
  actions: {
    noteSuperseded: assign(
      (_, { version, wanted, from }: { version: string; wanted: string; from: SupersededFrom }) => ({
        superseded: { version, wanted, from }
      })
    ),
    noteNewest: assign(({ context: { superseded } }, { version }: { version: string }) =>
      superseded ? { superseded: { ...superseded, version } } : {}
    ),
    // D1233
    /** Others may have its place in its queue meanwhile. A sub DAG run has none. */
    leavePlace: enqueueActions(({ context: { key }, enqueue, self }, { at }: { at: number }) => {
      const engine = self._parent
      if (engine) enqueue.sendTo(engine, { type: 'run.superseded', key, at })
    }),
    takePlace: enqueueActions(({ context: { key }, enqueue, self }, { at }: { at: number }) => {
      const engine = self._parent
      if (engine) enqueue.sendTo(engine, { type: 'run.continued', key, at })
    }),
    forgetSuperseded: assign(() => ({ superseded: undefined })),
    startNoMore: ({ context: { runState } }) => startNoMore(runState),
    /** Their executions are left as they are. There are none in a run that has just been restored. */
    leaveNodes: enqueueActions(({ context: { runState, plan }, enqueue, self }) => {
      const { children } = self.getSnapshot()
      for (const index of runState.active) {
        const step = plan.steps[index]
        if (step && nodeId(index, step) in children) enqueue.stopChild(nodeId(index, step))
      }
    }),
    /** Each continues from what is stored of it. */
    resumeNodes: assign(({ context, spawn }) => {
      const { key, plan, runState, at, only } = context
      const alone = only === undefined ? {} : { ignoresRetry: true }
      for (const index of runState.active) {
        const step = plan.steps[index]
        if (!step) continue
        const { cleanUpMs = plan.cleanUpMs } = step
        const input = { run: key, place: index, step, cleanUpMs, at, ...interruption(context, step), ...alone }
        spawn('node', { id: nodeId(index, step), input })
      }
      return {}
    }),
    /** Whole: the step that waits for it has no actor now. */
    keepWhole: assign(({ context: { given } }, { type: _type, step, ...signal }: SignalGiven) => ({
      given: { ...given, [step]: signal }
    })),
    /** Signals that came meanwhile, for steps that are there again. */
    giveKept: enqueueActions(({ context: { given = {}, plan, runState }, enqueue, self }) => {
      const left = { ...given }
      for (const index of runState.active) {
        const { name: step = '' } = plan.steps[index] ?? {}
        const kept = Object.hasOwn(given, step) ? given[step] : undefined
        if (kept?.output === undefined) continue
        delete left[step]
        enqueue.sendTo(self, { type: 'signal.given', step, ...kept, output: kept.output })
      }
      if (Object.keys(left).length < Object.keys(given).length) enqueue.assign({ given: left })
    }),
    sendAgain: sendTo(
      ({ self }) => self,
      ({ event }) => event
    )
  }
})
