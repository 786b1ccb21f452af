/** Adopts processes of steps that an engine before has begun, or ends them when nobody will look for them. Source: architecture 5. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import { hasMemberWith, identityOf, type ProcessIdentity } from '../../platform/process-identity.ts'
import type { Executor, Running, Traces } from '../executor.ts'
import type { Launcher } from '../launcher/launcher.ts'
import type { Held } from './held-process.ts'
import { prefetchedRecords } from './prefetched.ts'
import { signalGroup, signalOrphans } from './process-group.ts'
import { claim, latestRecord, readRecord } from './state-file.ts'
import { recordAgain, STDOUT, type Survivor, survivors } from './survivor.ts'

/** How long a look at who has survived serves all who are looked for. */
const SOUGHT_MS = 1_000

export function finder(
  launcher: Launcher,
  clock: Clock,
  hold: (process: Held) => Running
): Required<Pick<Executor, 'prefetch' | 'find' | 'abandon' | 'abandonRun'>> {
  const { prefetch, read } = prefetchedRecords(clock)
  let surviving = new Map<string, Survivor>()
  let soughtAt = Number.NEGATIVE_INFINITY
  /** By the path of their stdout log. After a crash there may be many who are looked for. */
  function allSurvivors(): Map<string, Survivor> {
    if (clock.elapsed() - soughtAt >= SOUGHT_MS) {
      surviving = survivors(launcher.holdersBelow)
      soughtAt = clock.elapsed()
    }
    return surviving
  }
  /** A process whose record is gone. */
  const survivorOf = ({ stdout }: Traces): number | undefined => allSurvivors().get(stdout)?.pid

  function find(traces: Traces): Running | undefined {
    const { path: state, ...latest } = latestRecord(traces.state, read)
    let { record } = latest
    if (record.found.state === 'absent') {
      const pid = traces.isLost ? survivorOf(traces) : undefined
      if ((pid === undefined || !recordAgain(state, pid, launcher.holdersBelow)) && claim(state)) return undefined
      record = readRecord(state)
    }
    const { found, identity, offset } = record
    let begin = (_at: number) => {}
    // A process whose record is there and says nothing yet may be about to begin.
    const began = new Promise<number>((resolve) => {
      begin = resolve
    })
    if (found.state === 'alive') begin(found.beganAt)
    else if (identity) begin(clock.now())
    const ended = launcher.watch(state, begin, record).then((end) => {
      if (end) return end
      throw new TroupeError('internal_error', 'interrupted: outcome unknown')
    })
    const { stopped } = traces
    const isGroupLost = stopped !== undefined && found.state !== 'alive' && !(identity && isGroupOf(identity, traces))
    const { stdout } = traces
    const held = hold({ state, stdout, offset, ended, began, withdraw: () => false, stopped, isGroupLost })
    const facts = { over: found.state === 'ended', isGone: record.isAbandoned === true, ...held }
    return traces.isLost ? { isOutputLost: true, ...facts } : facts
  }

  function abandon(traces: Traces): void {
    if (!existsSync(dirname(traces.state))) {
      end(survivorOf(traces))
      return
    }
    const { path, record } = latestRecord(traces.state)
    if (record.found.state === 'absent' && claim(path)) return
    const { found, identity } = readRecord(path)
    if (identity && found.state === 'alive') signalGroup(identity, 'SIGKILL')
    else if (identity && isGroupOf(identity, traces)) signalOrphans(identity, 'SIGKILL')
    else if (!identity && found.state !== 'void') {
      const running = find(traces) // it may be about to begin
      running?.ended.catch(() => {}) // nobody asks
      running?.kill()
    }
  }

  function abandonRun({ name, dagRunId }: RunKey): void {
    for (const { pid, run } of allSurvivors().values()) if (run.name === name && run.dagRunId === dagRunId) end(pid)
  }

  return { prefetch, find, abandon, abandonRun }
}

function end(pid: number | undefined): void {
  const identity = pid === undefined ? undefined : identityOf(pid)
  if (identity) signalGroup(identity, 'SIGKILL')
}

/** The leader of the group has gone; a process that still has the variables of this step was begun by it. */
const isGroupOf = ({ pid }: ProcessIdentity, { stdout }: Traces): boolean => hasMemberWith(pid, `${STDOUT}${stdout}\0`)
