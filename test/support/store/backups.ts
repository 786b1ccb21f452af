/** Backups that tests take and restore without the command line. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { takeBackup } from '../../../src/backup/backup.ts'
import { restoreBackup } from '../../../src/backup/restore.ts'
import { systemClock } from '../../../src/clock.ts'
import { readConfig } from '../../../src/config.ts'
import { createEngine } from '../../../src/index.ts'
import { temporaryFolder } from '../homes.ts'

const configOf = (home: string) => readConfig({ home }, {})
export const backedUp = (home: string, folder: string, withLogs = true) =>
  takeBackup(configOf(home), systemClock, folder, { version: 'test', withLogs })
export const restored = (folder: string, home: string, replace = false) =>
  restoreBackup(configOf(home), systemClock, folder, { replace })
export const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`
  )
export const ECHO = 'name: small\nsteps: [{name: a, command: echo hi}]\n'

/** A new home for the test, with one run. */
export async function livedInHomeCopy(): Promise<string> {
  const home = temporaryFolder()
  mkdirSync(join(home, 'dags'))
  const engine = await createEngine({ home, defaultShell: 'sh' })
  await engine.result(await engine.start({ spec: ECHO, dagRunId: 'r1' }))
  await engine.close()
  return home
}
