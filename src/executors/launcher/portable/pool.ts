/** Step supervisors, idle and at work, where the native launcher cannot run: each holds one job at a time. */
import type { Clock } from '../../../clock.ts'
import type { Holder, Holders, Listener } from '../holder.ts'
import { type GrowingLogs, grownLogs } from './grown-logs.ts'
import { openSupervisors, type Supervisor } from './supervisors.ts'
import { jobWriter, removeJob } from './written-job.ts'

/** Supervisors made at a time, and idle ones kept. */
const BATCH = 8
const SPARE = 32
/** One that was killed cannot say so; those at work are looked at this often. */
const CHECK_MS = 5_000

/** @param environment of supervisors: what may reach a step */
export function openPool(
  folder: string,
  environment: Record<string, string>,
  listener: Listener,
  clock: Clock
): Holders {
  const grown = grownLogs(clock)
  const writeJob = jobWriter(folder, environment)
  const idle: Holder[] = []
  const supervisors = openSupervisors(folder, environment, {
    ready: (supervisor) => idle.push(pooled(supervisor)),
    began(job) {
      removeJob(folder, job) // it has been read
      listener.began(job)
    },
    ended: listener.ended,
    quiet: listener.quiet,
    spawnFailed: listener.spawnFailed
  })

  function pooled(supervisor: Supervisor): Holder {
    let logs: GrowingLogs | undefined
    const holder: Holder = {
      hand(name, job) {
        writeJob(name, job)
        logs = grown.begin(job) // it may be over before this process comes further
        return supervisors.tell(supervisor, name)
      },
      giveBack() {
        logs?.end()
        if (idle.length < SPARE && !supervisor.isStale) idle.push(holder)
        else supervisors.dismiss(supervisor)
      },
      drop() {
        logs?.end()
        supervisors.dismiss(supervisor)
      },
      isAlive: () => supervisors.lives(supervisor)
    }
    return holder
  }

  return {
    checkMs: CHECK_MS,
    take: () => idle.pop(),
    ask(jobs) {
      const wanted = jobs - supervisors.awaited
      if (wanted > 0) supervisors.make(Math.max(wanted, BATCH))
    },
    check: supervisors.revise,
    renew() {
      for (const holder of idle.splice(0)) holder.drop() // they can be handed nothing any more
      supervisors.renew()
    },
    close() {
      grown.close()
      supervisors.close()
    }
  }
}
