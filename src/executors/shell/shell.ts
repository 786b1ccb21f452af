/** `shell` steps: a local process in its own session and group, which outlives the engine. Source: execution-semantics 4, 10.1. */
import { statSync, unlink, writeFileSync } from 'node:fs'
import type { Clock } from '../../clock.ts'
import { invocation, SCRIPT } from '../../definition/shell/shell.ts'
import { shellQuote } from '../../definition/shell/words.ts'
import { identityOf } from '../../platform/process-identity.ts'
import type { Execution, Executor, Masking, Running } from '../executor.ts'
import type { Launcher } from '../launcher/launcher.ts'
import { marksPath } from '../launcher/marks.ts'
import { finder } from '../processes/found-process.ts'
import { holder } from '../processes/held-process.ts'
import { stateFiles } from '../processes/state-file.ts'
import { survivors } from '../processes/survivor.ts'

export function shell(launcher: Launcher, clock: Clock): Executor {
  const hold = holder(clock, (stdout) => {
    const { pid } = survivors(launcher.holdersBelow).get(stdout) ?? {}
    return pid === undefined ? undefined : identityOf(pid)
  })

  function start(execution: Execution): Running {
    const { stdout, stderr, copies, env, workingDir: cwd, masking } = execution
    const state = stateFiles(execution.state).next
    const {
      argv,
      script,
      scriptExtension = ''
    } = invocation({ packages: execution.step.shellPackages, ...execution }, execution.shells)
    const path = `${execution.state}.script${scriptExtension}`
    if (script !== undefined) writeFileSync(path, script, { mode: 0o750 })
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
      ...(masking ? { masking: maskedBy(masking, stdout) } : {})
    })
    const { began, withdraw } = launched
    const ended = launched.ended.finally(() => {
      if (script !== undefined) unlink(path, () => {})
    })
    return hold({ began, withdraw, state, stdout, offset, ended })
  }

  return { type: 'shell', start, ...finder(launcher, clock, hold) }
}

const maskedBy = ({ secrets: { values }, marks }: Masking, stdout: string) => ({
  values,
  ...(marks ? { marks: marksPath(stdout) } : {})
})

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
