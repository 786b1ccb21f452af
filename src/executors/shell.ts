/** `shell` steps: a local process in its own session and group, which outlives the engine. Source: execution-semantics 4, 7.3, 10.1. */
import { existsSync, statSync, unlink, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Clock, pause } from '../clock.ts'
import { TroupeError } from '../errors.ts'
import { hasMemberWith, identityOf, liveGroups, type ProcessIdentity } from '../process-identity.ts'
import { invocation, SCRIPT } from '../spec/shell.ts'
import { shellQuote } from '../spec/words.ts'
import type { Execution, ExecutionEnd, Executor, Masking, Running, Traces } from './executor.ts'
import { CLAIMED } from './job.ts'
import type { Launched, Launcher } from './launcher.ts'
import { marksPath } from './marks.ts'
import { signalGroup, signalNumber, signalOrphans, signalText } from './process-group.ts'
import { claim, identityIn, latestRecord, readRecord, stateFiles } from './state-file.ts'
import { recordAnew, survivors, VARIABLE } from './survivor.ts'
import { UNCOPIED, uncopiedIn } from './uncopied.ts'
import { Unrecorded } from './unrecorded.ts'

/** A process, held or adopted. */
interface Held extends Launched {
  /** Path of its record. */
  state: string
  /** Length of the stdout log when it began. */
  offset: number
  /** The signal that has asked it to stop, when it is found. */
  stopped?: string | undefined
  /** Its group's id may have been given to others since. */
  isGroupLost?: boolean
}

/** How often a stopped step's leftovers are looked at, and how long that goes on when they were killed. */
const LOOK_MS = 50
const KILLED_MS = 500
/** How long a look at who has survived serves all who are looked for. */
const SOUGHT_MS = 1_000

export function shell(launcher: Launcher, clock: Clock): Executor {
  let groups = new Set<number>()
  let lookedAt = Number.NEGATIVE_INFINITY
  /** Zombies can be signaled, and stay where nobody reaps orphans. One look at all processes serves all steps that stop. */
  function hasLiving({ pid }: ProcessIdentity, begunBy: number): boolean {
    if (lookedAt < begunBy || clock.elapsed() - lookedAt >= LOOK_MS / 2) {
      groups = liveGroups()
      lookedAt = clock.elapsed()
    }
    return groups.has(pid)
  }

  /** The part that start and adoption share: signals by identity, and an end that waits for a stopped group to be gone. */
  function hold({ state, offset, ended, began, withdraw, stopped, isGroupLost = false }: Held): Running {
    let asked = stopped
    let killed = false
    let begunBy = Number.POSITIVE_INFINITY
    void began.then(() => {
      begunBy = clock.elapsed()
    })
    const send = (signal: NodeJS.Signals): boolean => {
      const identity = identityIn(state)
      if (identity) signalGroup(identity, signal)
      return identity !== undefined
    }
    const deliver = (signal: NodeJS.Signals) => {
      if (!send(signal) && !withdraw()) void began.then(() => send(signal))
    }
    async function outcome(): Promise<ExecutionEnd> {
      const end = await ended
      if (end.exitCode === CLAIMED && !identityIn(state)) throw new Unrecorded(state)
      const isLate = asked !== undefined && !isGroupLost && (await groupGone())
      const bySignal = end.signaled || (asked === 'SIGINT' && end.exitCode === 128 + signalNumber('SIGINT')) // shells do not report it
      const at = isLate ? clock.now() : end.at
      const cause = end.exitCode === UNCOPIED ? uncopiedIn(state) : undefined
      return bySignal
        ? { exitCode: -1, signal: signalText(end.exitCode - 128), at, offset }
        : { exitCode: end.exitCode, at, offset, ...(cause === undefined ? {} : { cause }) }
    }
    /** A stop is over when the whole group is, not when its leader is. @returns whether it was waited for */
    async function groupGone(): Promise<boolean> {
      const identity = identityIn(state)
      let looks = KILLED_MS / LOOK_MS
      let isLate = false
      while (identity && looks > 0 && signalOrphans(identity, killed ? 'SIGKILL' : 0) && hasLiving(identity, begunBy)) {
        if (killed) looks--
        isLate = true
        await pause(clock, LOOK_MS)
      }
      return isLate
    }
    return {
      began,
      ended: outcome(),
      stop(signal) {
        asked = signal
        deliver(signal as NodeJS.Signals) // checked by the reader of the definition
      },
      kill() {
        asked ??= 'SIGKILL'
        killed = true
        deliver('SIGKILL')
      }
    }
  }

  function start(execution: Execution): Running {
    const { stdout, stderr, copies, env, workingDir: cwd, masking } = execution
    const state = stateFiles(execution.state).next
    const {
      argv,
      script,
      scriptExtension = ''
    } = invocation({ ...execution, packages: execution.step.shellPackages }, execution.shells)
    const path = `${execution.state}.script${scriptExtension}`
    if (script !== undefined) writeFileSync(path, script, { mode: 0o750 })
    const offset = sizeOf(stdout)
    const launched: Launched = launcher.launch({
      argv: argv.map((word) => (word === SCRIPT ? path : word.replaceAll(SCRIPT, () => shellQuote(path)))),
      cwd,
      env,
      stdout,
      stderr,
      state,
      offset,
      ...(copies ? { copies } : {}),
      ...(masking ? { masking: maskedBy(masking, stdout) } : {})
    })
    const ended = launched.ended.finally(() => {
      if (script !== undefined) unlink(path, () => {})
    })
    return hold({ ...launched, state, offset, ended })
  }

  let surviving = new Map<string, number>()
  let soughtAt = Number.NEGATIVE_INFINITY
  /** Its record is gone. After a crash there may be many of them. */
  function survivorOf({ stdout }: Traces): number | undefined {
    if (clock.elapsed() - soughtAt >= SOUGHT_MS) {
      surviving = survivors()
      soughtAt = clock.elapsed()
    }
    return surviving.get(stdout)
  }

  function find(traces: Traces): Running | undefined {
    const { path: state, ...latest } = latestRecord(traces.state)
    let { record } = latest
    if (record.found.state === 'absent') {
      const pid = traces.isLost ? survivorOf(traces) : undefined
      if ((pid === undefined || !recordAnew(state, pid)) && claim(state)) return undefined
      record = readRecord(state)
    }
    const { found, identity, offset } = record
    let begin = (_at: number) => {}
    // One whose record is there and says nothing yet may be about to begin.
    const began = new Promise<number>((resolve) => {
      begin = resolve
    })
    if (found.state === 'alive') begin(found.beganAt)
    else if (identity) begin(clock.now())
    const script = `${traces.state}.script`
    const ended = launcher.watch(state, begin, record).then((end) => {
      if (existsSync(script)) unlink(script, () => {})
      if (end) return end
      throw new TroupeError('internal_error', 'interrupted: outcome unknown')
    })
    const { stopped } = traces
    const isGroupLost = stopped !== undefined && found.state !== 'alive' && !(identity && isGroupOf(identity, traces))
    const held = hold({ state, offset, ended, began, withdraw: () => false, stopped, isGroupLost })
    return { ...held, over: found.state === 'ended', ...(traces.isLost ? { isOutputLost: true } : {}) }
  }

  return {
    type: 'shell',
    start,
    find,
    abandon(traces) {
      if (!existsSync(dirname(traces.state))) {
        const identity = identityOf(survivorOf(traces) ?? 0)
        if (identity) signalGroup(identity, 'SIGKILL')
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
  }
}

/** Its leader has gone; who still has the variables of this step was begun by it. */
const isGroupOf = ({ pid }: ProcessIdentity, { stdout }: Traces): boolean =>
  hasMemberWith(pid, `${VARIABLE}${stdout}\0`)

const maskedBy = ({ secrets: { values }, marks }: Masking, stdout: string) => ({
  values,
  ...(marks ? { marks: marksPath(stdout) } : {})
})

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
