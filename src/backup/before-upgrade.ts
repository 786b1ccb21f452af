/** Whether a backup leads back to a home as it is before an upgrade. See docs/operating/upgrade.md. */
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { type PlainFinding, plainFinding, type Severity } from '../doctor/finding.ts'
import { TroupeError } from '../errors.ts'
import { shellWord } from '../platform/shell/shell-word.ts'
import { realPlace } from './files.ts'
import { readManifest } from './manifest.ts'

/** What a backup that is older lacks is worth a word. */
const FRESH_MS = 24 * 3_600_000
const HOUR_MS = 3_600_000

// D1487: what to know before an upgrade is said by the new release, and a backup is named
/** @param folder of the backup; undefined: none was named */
export function backupFindings(
  { dataDir }: Pick<Config, 'dataDir'>,
  clock: Pick<Clock, 'now'>,
  folder: string | undefined
): PlainFinding[] {
  const found = (severity: Severity, message: string, mending: string) => [
    plainFinding({ check: 'backup', severity, message, mending })
  ]
  if (folder === undefined)
    return found(
      'warning',
      'no backup was named',
      'take one with the release that the home is of (troupe backup DIR), and name it: --backup DIR'
    )
  try {
    const manifest = readManifest(folder)
    const hours = Math.floor((clock.now() - manifest.takenAt) / HOUR_MS)
    const what = `the backup ${folder}, taken by Troupe ${manifest.version} ${hours} hours ago with ${manifest.runs} runs`
    if (realPlace(manifest.dataDir) !== realPlace(dataDir))
      return found('error', `${what}, is of another home: ${manifest.dataDir}`, 'name a backup of this home')
    if (manifest.problems)
      return found('warning', `${what}, has problems: ${manifest.problems[0]}`, 'troupe doctor says more of the home')
    if (clock.now() - manifest.takenAt > FRESH_MS)
      return found('warning', `${what}, lacks what has happened since`, 'take another one shortly before the upgrade')
    return found('note', what, `the way back: troupe restore ${shellWord(folder)} --replace`)
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    return found('error', error.message, 'take another one: troupe backup DIR')
  }
}
