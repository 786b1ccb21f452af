/** Fills the slots of the run machine. */
import { fromCallback } from 'xstate'
import type { callMachine } from '../../../machines/call.ts'
import { runMachine } from '../../../machines/run.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { quickAssigns } from '../journal/quick-assigns.ts'
import { type Recorder, recorded } from '../journal/recorded.ts'
import { alarm } from '../pace/alarm.ts'
import type { Hands } from '../root/hands.ts'
import { checkConditions } from '../step/conditions.ts'
import { substitute } from '../step/lookups.ts'
import { nodeLogic } from '../step/node.ts'
import { notification } from './notification.ts'
import { openRunContainer, releaseRunContainer } from './run-container.ts'

// D48
export const runLogic = (hands: Hands, recorder: Recorder, call: typeof callMachine) =>
  recorded(
    runMachine.provide({
      actions: quickAssigns(runMachine),
      actors: {
        preparation: preparation(hands),
        conditions: conditions(hands),
        release: release(hands),
        node: nodeLogic(hands, recorder, call),
        notification: notification(hands),
        alarm: alarm(hands)
      }
    }),
    recorder
  )

/** Evaluates the run's variables, makes its folders and its container. */
const preparation = (hands: Hands) =>
  fromCallback<{ type: 'preparation.stop' }, RunKey>(({ input: key, sendBack, receive }) => {
    const { clock, turns } = hands
    const abandoned = new AbortController()
    receive(() => abandoned.abort())
    const prepare = async () => {
      await hands.openScope(key, abandoned.signal)
      await openRunContainer(hands, hands.scope(key), abandoned.signal)
    }
    let isOver = false
    const answer = (event: { type: string; error?: string }) => {
      isOver = true
      turns.take(() => sendBack({ at: clock.now(), ...event }))
    }
    turns.afterCommit(
      () =>
        void prepare().then(
          () => answer({ type: 'run.prepared' }),
          (error: Error) => answer({ type: 'run.unprepared', error: error.message })
        )
    )
    return () => {
      if (!isOver) abandoned.abort() // each run ends here, and an abort nobody listens to costs 40 µs
    }
  })

/** Gives the run's container back. */
const release = (hands: Hands) =>
  fromCallback<{ type: 'release.hurry' }, RunKey>(({ input: key, sendBack }) => {
    const { clock, turns } = hands
    turns.afterCommit(
      () =>
        void releaseRunContainer(hands, key).then(() =>
          turns.take(() => sendBack({ type: 'run.released', at: clock.now() }))
        )
    )
  })

/** The DAG's preconditions, in its environment and directory. */
const conditions = (hands: Hands) =>
  fromCallback<{ type: 'conditions.stop' }, RunKey>(({ input: key, sendBack }) => {
    const { clock, turns, defaultShell } = hands
    const abandoned = new AbortController()
    async function check() {
      const { plan, params, env: dagEnv, base, workingDir, shell, secrets, runLog, warned } = hands.scope(key)
      const values: Record<string, string> = Object.fromEntries(params.map(({ name, value }) => [name, value]))
      const env: Record<string, string> = {
        ...base,
        ...dagEnv,
        ...values,
        DAG_NAME: key.name,
        DAG_RUN_ID: key.dagRunId,
        PWD: workingDir
      }
      const { signal } = abandoned
      const warn = (message: string) => {
        if (!warned.has(message)) hands.logs.write(runLog, 'WARN', message)
        warned.add(message)
      }
      const look = (names: Record<string, string>): Lookup => ({
        variable: (name) => names[name],
        ...(secrets.none ? {} : { isSecret: secrets.hidesIn }),
        substitute: (command) => substitute(hands, command, workingDir, env, signal, secrets, warn),
        warn
      })
      const shells = { ...(shell ? { dag: shell } : {}), fallback: defaultShell }
      const surroundings = {
        all: look(env),
        text: look(values),
        env,
        workingDir,
        shells,
        maxLine: plan.maxOutputSize,
        signal,
        secrets
      }
      return checkConditions(hands, plan.preconditions, surroundings)
    }
    turns.afterCommit(
      () =>
        void check().then(({ met, conditions }) =>
          turns.take(() => sendBack({ type: 'conditions.checked', at: clock.now(), met, conditions }))
        )
    )
    return () => abandoned.abort()
  })
