/** Implements the actors of the run machine. */
import { fromCallback } from 'xstate'
import type { callMachine } from '../../../machines/call.ts'
import { runMachine } from '../../../machines/run.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { quickAssigns } from '../journal/quick-assigns.ts'
import { recorded } from '../journal/recorded.ts'
import type { Recorders } from '../journal/recorder.ts'
import { alarm } from '../pace/alarm.ts'
import type { Services } from '../root/services.ts'
import { checkConditions } from '../step/conditions.ts'
import { substitute } from '../step/lookups.ts'
import { nodeLogic } from '../step/node.ts'
import { notification } from './notification.ts'
import { openRunContainer, releaseRunContainer } from './run-container.ts'

// D48
export const runLogic = (services: Services, recorders: Recorders, call: typeof callMachine) =>
  recorded(
    runMachine.provide({
      actions: quickAssigns(runMachine),
      actors: {
        preparation: preparation(services),
        conditions: conditions(services),
        release: release(services),
        node: nodeLogic(services, recorders.node, call),
        notification: notification(services),
        alarm: alarm(services)
      }
    }),
    recorders.run
  )

/** Evaluates the run's variables, creates its folders and its container. */
const preparation = (services: Services) =>
  fromCallback<{ type: 'preparation.stop' }, RunKey>(({ input: key, sendBack, receive }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    receive(() => abandoned.abort())
    const prepare = async () => {
      await services.openScope(key, abandoned.signal)
      await openRunContainer(services, services.scope(key), abandoned.signal)
    }
    let isOver = false
    const answer = (event: { type: string; error?: string }) => {
      isOver = true
      transactions.take(() => sendBack({ at: clock.now(), ...event }))
    }
    transactions.afterCommit(
      () =>
        void prepare().then(
          () => answer({ type: 'run.prepared' }),
          (error: Error) => answer({ type: 'run.unprepared', error: error.message })
        )
    )
    return () => {
      if (!isOver) abandoned.abort() // every run ends here, and an abort without listeners costs 40 µs
    }
  })

/** Removes the run's container. */
const release = (services: Services) =>
  fromCallback<{ type: 'release.hurry' }, RunKey>(({ input: key, sendBack }) => {
    const { clock, transactions } = services
    transactions.afterCommit(
      () =>
        void releaseRunContainer(services, key).then(() =>
          transactions.take(() => sendBack({ type: 'run.released', at: clock.now() }))
        )
    )
  })

/** Evaluates the DAG's preconditions, in its environment and directory. */
const conditions = (services: Services) =>
  fromCallback<{ type: 'conditions.stop' }, RunKey>(({ input: key, sendBack }) => {
    const { clock, transactions, defaultShell } = services
    const abandoned = new AbortController()
    async function check() {
      const { plan, params, env: dagEnv, base, workingDir, shell, secrets, runLog, warned } = services.scope(key)
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
        if (!warned.has(message)) services.logs.write(runLog, 'WARN', message)
        warned.add(message)
      }
      const look = (names: Record<string, string>): Lookup => ({
        variable: (name) => names[name],
        ...(secrets.none ? {} : { isSecret: secrets.hidesIn }),
        substitute: (command) => substitute(services, command, workingDir, env, signal, secrets, warn),
        warn
      })
      const shells = { ...(shell ? { dag: shell } : {}), fallback: defaultShell }
      const context = {
        all: look(env),
        text: look(values),
        env,
        workingDir,
        shells,
        maxLine: plan.maxOutputSize,
        signal,
        secrets
      }
      return checkConditions(services, plan.preconditions, context)
    }
    transactions.afterCommit(
      () =>
        void check().then(({ met, conditions }) =>
          transactions.take(() => sendBack({ type: 'conditions.checked', at: clock.now(), met, conditions }))
        )
    )
    return () => abandoned.abort()
  })
