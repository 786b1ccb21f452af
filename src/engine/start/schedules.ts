/** Gives the scheduler access to definitions, flags and starts. Source: execution-semantics 11.14 to 11.17. */
import type { RunRequest } from '../../actors/root/system.ts'
import type { Scheduling } from '../../actors/schedule/scheduling.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../definitions/definitions.ts'
import type { CustomExecutor } from '../../executors/custom/custom.ts'
import type { HostFunctions } from '../../executors/function/function.ts'
import { hostCode, refuseUnsupported } from '../../executors/function/missing-code.ts'
import { type Log, survived } from '../../log.ts'
import type { SuspendFlags } from '../../store/files/suspend-flags.ts'
import type { Store } from '../../store/open.ts'
import { restartRequest } from './restart-run.ts'
import { runRequest, workflowFor } from './start-run.ts'

interface Sources {
  config: Config
  clock: Clock
  log: Log
  store: Store
  definitions: Definitions
  flags: SuspendFlags
  executors: readonly CustomExecutor[]
  functions: HostFunctions
}

export function schedulesOf(
  { config, clock, log, store, definitions, flags, executors, functions }: Sources,
  isBounded: (request: { fileName: string }, runRequest: RunRequest) => boolean
): Scheduling {
  return {
    definitions: () => definitions.list(),
    ready: () => definitions.ready(),
    suspended: () => flags.all(),
    get zone() {
      return config.tz
    },
    queues: config.queues.enabled,
    async runRequest(fileName) {
      const request = { fileName }
      const wanted = await runRequest(request, await workflowFor(request, definitions), definitions, config, clock)
      refuseUnsupported(wanted.plan.plan, hostCode({ executors, functions }))
      return { ...wanted, bounded: isBounded(request, wanted) }
    },
    async restart(key, dagRunId) {
      const wanted = await restartRequest(store, key, { dagRunId, noQueue: true, unlimited: true }, config, clock)
      wanted.record.trigger = { ...wanted.record.trigger, type: 'schedule' }
      return wanted
    },
    failing(error) {
      if (error === undefined) return log.info('the scheduler works again')
      survived(log, error)
      log.error('the scheduler has failed: it starts again, and tries at the next minute')
    },
    tell({ fileName, name, kind, slot, outcome, reason, error, dagRunId }) {
      const fields = {
        fileName,
        kind,
        slot: new Date(slot).toISOString(),
        ...(reason ? { reason } : {}),
        ...(error === undefined ? {} : { error }),
        ...(dagRunId === undefined ? {} : { name, dagRunId })
      }
      if (reason === 'limit' || reason === 'invalid' || reason === 'missed') log.warn('schedule skipped', fields)
      else if (reason === 'suspended') log.debug('schedule skipped', fields)
      else log.info(outcome === 'fired' ? 'schedule fired' : 'schedule skipped', fields)
    }
  }
}
