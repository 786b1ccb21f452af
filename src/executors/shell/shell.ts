/** `shell` steps: a local process in its own session and group, which outlives the engine. Source: execution-semantics 4, 10.1. */
import { statSync, unlink, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { invocation, SCRIPT } from '../../definition/shell/shell.ts'
import { identityOf } from '../../platform/process-identity.ts'
import { shellQuote } from '../../platform/shell/shell-word.ts'
import type { Execution, Executor, Masking, Running } from '../executor.ts'
import type { Launcher } from '../launcher/launcher.ts'
import { marksPath } from '../launcher/marks.ts'
import type { StepGroups } from '../limits/step-groups.ts'
import { finder } from '../processes/found-process.ts'
import { holder } from '../processes/held-process.ts'
import { stateFiles } from '../processes/state-file.ts'
import { survivors } from '../processes/survivor.ts'
import { lentScript } from './lent-script.ts'

interface ShellPlaces {
  /** Folder for scripts of steps that run as somebody else. Default: below that of temporary files. */
  scripts?: string | undefined
  /** Groups of the steps that are limited. Absent: no step is. */
  groups?: StepGroups | undefined
}

export function shell(
  launcher: Launcher,
  clock: Clock,
  { scripts = join(tmpdir(), 'troupe-scripts'), groups }: ShellPlaces = {}
): Executor {
  const hold = holder(clock, (stdout) => {
    const { pid } = survivors(launcher.holdersBelow).get(stdout) ?? {}
    return pid === undefined ? undefined : identityOf(pid)
  })

  function start(execution: Execution): Running {
    const { stdout, stderr, copies, env, workingDir: cwd, masking, account, limits } = execution
    const cgroup = limits && groups?.make(execution.state, limits)
    const state = stateFiles(execution.state).next
    const {
      argv,
      script,
      scriptExtension = ''
    } = invocation({ packages: execution.step.shellPackages, ...execution }, execution.shells)
    const lent = account && script !== undefined ? lentScript(scripts, execution.state) : undefined
    const path = lent?.path(scriptExtension) ?? `${execution.state}.script${scriptExtension}`
    if (script !== undefined && account) lent?.write(path, script, account)
    else if (script !== undefined) writeFileSync(path, script, { mode: 0o750 })
    const offset = sizeOf(stdout)
    const launched = launcher.launch({
      argv: argv.map((word) => (word === SCRIPT ? path : word.replaceAll(SCRIPT, () => shellQuote(path)))),
      cwd,
      env,
      stdout,
      stderr,
      state,
      offset,
      ...(copies ? { copies } : {}),
      ...(account ? { account } : {}),
      ...(cgroup === undefined ? {} : { cgroup }),
      ...(masking ? { masking: maskedBy(masking, stdout) } : {})
    })
    const { began, withdraw } = launched
    const ended = launched.ended.finally(() => {
      if (lent) lent.remove()
      else if (script !== undefined) unlink(path, () => {})
    })
    return limited(execution.state, hold({ began, withdraw, state, stdout, offset, ended }))
  }

  /** A running step whose end tells of its limits. */
  function limited(state: string, running: Running): Running {
    if (!groups) return running
    const { over } = groups
    const ended = running.ended.then((end) => over(state, end))
    ended.catch(() => {}) // who waits for it hears of it
    return Object.defineProperty(running, 'ended', { value: ended, enumerable: true })
  }

  const { find, ...others } = finder(launcher, clock, hold)
  return {
    type: 'shell',
    start,
    ...others,
    find(traces) {
      const running = find(traces)
      // The step may have been begun with a lent script by an engine before this one.
      const removed = () => lentScript(scripts, traces.state).remove()
      running?.ended.then(removed, removed)
      return running && limited(traces.state, running)
    }
  }
}

const maskedBy = ({ secrets: { values }, marks }: Masking, stdout: string) => ({
  values,
  ...(marks ? { marks: marksPath(stdout) } : {})
})

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
