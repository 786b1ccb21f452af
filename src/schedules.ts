/** What the scheduler sees of definitions, flags and starts. Source: execution-semantics 11.14 to 11.17. */
import { join } from 'node:path'
import type { Scheduling } from './actors/scheduler.ts'
import type { Candidate } from './actors/system.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Definitions } from './definitions.ts'
import type { Log } from './log.ts'
import { candidate } from './start-run.ts'
import { suspendFlags } from './store/suspend-flags.ts'

export function schedulesOf(
  { config, clock, log, definitions }: { config: Config; clock: Clock; log: Log; definitions: Definitions },
  isBounded: (request: { fileName: string }, candidate: Candidate) => boolean
): Scheduling {
  const flags = suspendFlags(join(config.home, 'suspend'))
  return {
    definitions: () => definitions.list(),
    suspended: () => flags.all(),
    zone: config.tz,
    queues: config.queues.enabled,
    async candidate(fileName) {
      const request = { fileName }
      const wanted = await candidate(request, definitions, config, clock)
      return { ...wanted, bounded: isBounded(request, wanted) }
    },
    tell({ fileName, kind, slot, outcome, reason, error, dagRunId }) {
      const fields = {
        fileName,
        kind,
        slot: new Date(slot).toISOString(),
        ...(reason ? { reason } : {}),
        ...(error === undefined ? {} : { error }),
        ...(dagRunId === undefined ? {} : { dagRunId })
      }
      if (reason === 'limit' || reason === 'invalid' || reason === 'missed') log.warn('schedule skipped', fields)
      else if (reason === 'suspended') log.debug('schedule skipped', fields)
      else log.info(outcome === 'fired' ? 'schedule fired' : 'schedule skipped', fields)
    }
  }
}
