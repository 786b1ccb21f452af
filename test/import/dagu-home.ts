/**
 * Makes a home with a `dagu` program: runs that succeeded, failed, were retried, were stopped, called others, are running, and wait.
 * `node dist/test/import/dagu-home.js PROGRAM FOLDER` makes one to be recorded in fixtures/import/.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/waiting.ts'

export const RECORDED = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'import', 'dagu-1.30.2')

// D1512: what was tried against what
/** The home, with a run that was cut off while it was running. */
export async function makeDaguHome(program: string, folder: string): Promise<string> {
  const home = join(folder, 'dagu')
  mkdirSync(join(home, 'suspend'), { recursive: true })
  cpSync(join(RECORDED, 'dags'), join(home, 'dags'), { recursive: true })
  for (const file of ['base.yaml', 'config.yaml']) cpSync(join(RECORDED, file), join(home, file))
  // As a server of it does when somebody suspends a workflow on its page.
  for (const name of ['sched', 'broken']) writeFileSync(join(home, 'suspend', `${name}.suspend`), '')
  const begun = (...args: string[]): ChildProcess =>
    spawn(program, args, {
      cwd: folder,
      stdio: 'ignore',
      detached: true,
      env: { PATH: process.env.PATH, HOME: folder, DAGU_HOME: home, DAGU_SKIP_EXAMPLES: 'true', DAGU_AUTH_MODE: 'none' }
    })
  const dagu = (...args: string[]) =>
    new Promise<void>((resolve, reject) =>
      begun(...args)
        .once('error', reject)
        .once('exit', () => resolve())
    )
  const file = (name: string) => join(home, 'dags', `${name}.yaml`)
  const start = (id: string, name: string, ...params: string[]) =>
    dagu('start', '--quiet', '--run-id', id, file(name), ...(params.length > 0 ? ['--', ...params] : []))
  await start('ok-1', 'ok', 'WHO=you')
  await start('ok-2', 'ok')
  await start('broken-1', 'broken', 'CODE=4')
  await start('flaky-1', 'flaky')
  writeFileSync(join(home, 'flag'), '')
  await dagu('retry', '--run-id', 'flaky-1', file('flaky'))
  rmSync(join(home, 'flag'))
  await start('parent-1', 'parent')
  const stopped = begun('start', '--quiet', '--run-id', 'long-1', file('long'))
  await running(home, 'long-1')
  await dagu('stop', '--run-id', 'long-1', file('long'))
  await new Promise((resolve) => (stopped.exitCode === null ? stopped.once('exit', resolve) : resolve(undefined)))
  const cutOff = begun('start', '--quiet', '--run-id', 'long-2', file('long'))
  await running(home, 'long-2')
  await dagu('enqueue', '--run-id', 'long-q1', file('long'))
  await dagu('enqueue', '--run-id', 'ok-q1', file('ok'), '--', 'WHO=queue')
  cutOff.kill('SIGKILL') // its step ends by itself
  return home
}

/** Resolves when a step of the run is recorded as running. */
const running = (home: string, id: string) =>
  eventually(
    `run ${id} at work`,
    () => {
      const runs = join(home, 'data', 'dag-runs')
      if (!existsSync(runs)) return undefined
      const files = readdirSync(runs, { recursive: true, encoding: 'utf8' })
      const found = files.find((name) => name.endsWith('status.jsonl') && name.includes(`_${id}/`))
      return (
        (found && /"nodes":\[\{.*"startedAt":"2.*"status":1\}\]/.test(readFileSync(join(runs, found), 'utf8'))) ||
        undefined
      )
    },
    20_000
  )

const [, self, program, folder] = process.argv
if (self === import.meta.filename && program && folder) await makeDaguHome(program, folder)
