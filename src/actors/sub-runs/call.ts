/** Implements the actors of the call machine. */
import { stat } from 'node:fs/promises'
import { fromCallback } from 'xstate'
import {
  type CallInput,
  callMachine,
  type ReportInput,
  type SubRunCommand,
  type SubRunEnded,
  type SubRunInput,
  subId
} from '../../../machines/call.ts'
import { messageOf } from '../../errors.ts'
import { keepPlan } from '../../store/commit.ts'
import { callAt } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import { dropped } from '../journal/dropped.ts'
import { quick } from '../journal/quick-transitions.ts'
import { type Recorder, recorded } from '../journal/recorded.ts'
import type { Services } from '../root/services.ts'
import { nodeFiles } from '../run/log-names.ts'
import { withLogFolder } from '../run/removed-logs.ts'
import { stepAt } from '../run/run-scope.ts'
import { append } from '../step/append.ts'
import { reportCall } from './call-report.ts'
import { resolveCall } from './resolve-call.ts'
import type { SubRuns } from './sub-runs.ts'

export const callLogic = (services: Services, store: Store, subRuns: SubRuns, recorder: Recorder) =>
  recorded(
    quick(callMachine.provide({ actions: { dropSub: dropped(({ index }: SubRunEnded) => subId(index)) } }), {
      resolution: resolution(services, store, subRuns),
      subRun: subRun(services, subRuns),
      report: report(services, store)
    }),
    recorder
  )

/** Finds the sub workflow and evaluates items and parameters; after a restart the earlier result still applies. */
const resolution = (services: Services, store: Store, subRuns: SubRuns) =>
  fromCallback<{ type: 'resolution.stop' }, CallInput>(({ input, sendBack }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    let mask = (text: string) => text
    async function resolve() {
      const scope = services.scope(input.run)
      const { key, nodeLogs, runAttempt, plan, secrets } = scope
      mask = secrets.mask
      const { name } = stepAt(plan, input.place)
      const known = input.resumed && callAt(store, key, input.place, runAttempt, input.attempt)
      if (known) {
        subRuns.ids.keep(key, name, known.items)
        return () => sendBack({ type: 'call.resolved', at: clock.now(), ...known })
      }
      const { stdout, stderr } = nodeFiles(nodeLogs, name)
      await withLogFolder(services, scope, abandoned)
      for (const path of [stdout, stderr]) await services.diskSpace.take(() => append(path, ''), abandoned)
      try {
        const { call, workflow } = await resolveCall(services, subRuns.ids, input, abandoned.signal)
        const { size: offset } = await stat(stdout)
        subRuns.know(call.plan, workflow)
        return () => {
          keepPlan(store, transactions.changes, call.plan, workflow)
          sendBack({ type: 'call.resolved', at: clock.now(), stopped: false, offset, ...call })
        }
      } catch (error) {
        await append(stderr, `${mask(messageOf(error))}\n`)
        throw error
      }
    }
    transactions.afterCommit(
      () =>
        void resolve().then(
          (answer) => transactions.take(answer),
          (error: Error) =>
            transactions.take(() => sendBack({ type: 'call.unresolved', at: clock.now(), error: mask(error.message) }))
        )
    )
    return () => abandoned.abort()
  })

/** One sub DAG run: started or found, and watched until its end. */
const subRun = (services: Services, subRuns: SubRuns) =>
  fromCallback<SubRunCommand, SubRunInput>(({ input, sendBack, receive }) => {
    const { clock, transactions } = services
    const stopped = new AbortController()
    const ended = (end: Pick<SubRunEnded, 'status' | 'error'>) =>
      transactions.take(() => sendBack({ type: 'sub.ended', at: clock.now(), index: input.index, ...end }))
    receive((command) => {
      stopped.abort()
      if (command.type === 'sub.kill') subRuns.kill(input.item, command.force === true)
      else subRuns.stop(input.item)
    })
    transactions.afterCommit(
      () =>
        void subRuns.follow(input, stopped.signal).then(
          (status) => ended({ status }),
          async (error: Error) => ended({ status: 'failed', error: await logged(services, input, error) })
        )
    )
  })

/** A sub run that cannot start has no log, so the log of its caller says why. @returns the same, masked */
async function logged(services: Services, { caller, item }: SubRunInput, { message }: Error): Promise<string> {
  let said = message
  try {
    const { nodeLogs, plan, secrets } = services.scope(caller.run)
    said = secrets.mask(message)
    const { stderr } = nodeFiles(nodeLogs, stepAt(plan, caller.place).name)
    const which = [item.name, item.params].filter(Boolean).join(' ')
    await append(stderr, `${secrets.mask(which)}: ${said}\n`)
  } catch {
    // Reports even if the log cannot be written.
  }
  return said
}

const report = (services: Services, store: Store) =>
  fromCallback<{ type: 'report.stop' }, ReportInput>(({ input, sendBack, receive }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    const stopping = new AbortController()
    if (input.stopped) stopping.abort()
    receive(() => stopping.abort())
    const answer = (facts: object) =>
      transactions.take(() => sendBack({ type: 'call.reported', at: clock.now(), ...facts }))
    // The results of the sub runs are read from the store, so they must have been written.
    transactions.afterFlush(
      () =>
        void reportCall(services, store, input, abandoned.signal, stopping.signal).then(answer, (error: Error) =>
          answer({ error: error.message })
        )
    )
    return () => {
      abandoned.abort()
      stopping.abort()
    }
  })
