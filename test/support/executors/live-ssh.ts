/** `ssh` steps against a real server on loopback, whose connection a test may cut or freeze. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SshTarget } from '../../../machines/vocabulary.ts'
import { systemClock } from '../../../src/clock.ts'
import type { Execution, Executor } from '../../../src/executors/executor.ts'
import { inProcess } from '../../../src/executors/frame/in-process.ts'
import { LIMITS, type PoolLimits } from '../../../src/executors/ssh/pool.ts'
import { leftBehind } from '../../../src/executors/ssh/remote-note.ts'
import { openSsh } from '../../../src/executors/ssh/ssh.ts'
import { textOf } from '../engine/live.ts'
import { temporaryFolder } from '../homes.ts'
import { type Line, lineTo } from '../line.ts'
import { eventually } from '../waiting.ts'
import { benchOf } from './executions.ts'
import { liveSshd } from './sshd.ts'

/** Whether a process is at work here, where the server is; zombies are not. */
export const lives = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

/** Starts the server before the tests of a `describe` and ends it after them. */
export function liveSsh() {
  const sshd = liveSshd()
  const opened: Executor[] = []
  const lines: Line[] = []
  let executor: Executor
  /** A new executor for what is started from now on. */
  function use(limits: Partial<PoolLimits> = {}): Executor {
    const { perform, close } = openSsh(systemClock, { ...LIMITS, ...limits })
    executor = inProcess(
      { type: 'ssh', reads: 'remote', killMs: 900, sends: true, interrupted: leftBehind, perform, close },
      systemClock
    )
    opened.push(executor)
    return executor
  }
  const bench = benchOf(() => executor)
  before(() => void use())
  after(() => {
    for (const one of opened) one.close?.()
    for (const line of lines) line.close()
  })
  const withTarget = (more: Partial<Execution>, target: Partial<SshTarget> = {}): Partial<Execution> => ({
    ssh: { ...sshd.target, ...target },
    ...more
  })
  const run = (more: Partial<Execution>, target?: Partial<SshTarget>) => bench.run(withTarget(more, target))
  const started = async (more: Partial<Execution>, target?: Partial<SshTarget>) => {
    const begun = bench.start(withTarget(more, target))
    const pids = await eventually('its pids', () => {
      const found = textOf(begun.execution.stdout).trim().split('\n').filter(Boolean).map(Number)
      return found.length > 0 ? found : undefined
    })
    return { ...begun, pids }
  }
  /** The server behind a line that can be cut; its key is known by that name too. */
  async function behindLine(): Promise<{ line: Line; target: Partial<SshTarget> }> {
    const line = await lineTo({ host: sshd.target.host, port: Number(sshd.target.port) })
    lines.push(line)
    const knownHostFile = join(temporaryFolder(), 'known')
    writeFileSync(knownHostFile, `[127.0.0.1]:${line.port} ${readFileSync(sshd.hostKey, 'utf8')}`)
    return { line, target: { host: '127.0.0.1', port: String(line.port), knownHostFile } }
  }
  return { sshd, bench, withTarget, run, started, behindLine, use }
}
