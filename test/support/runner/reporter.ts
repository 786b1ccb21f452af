/** The spec reporter, with the slowest files where times are noted, and a last line that a script can read: `N passed, N failed`. */
import { writeFileSync } from 'node:fs'
import Mocha from 'mocha'
import { slowest, TIMES, timesIn } from './times.ts'

/** Name of the variable with the path of a file that gets the files with failures, a line each. */
export const FAILED_FILES = 'TROUPE_FAILED_FILES'

export default class Reporter extends Mocha.reporters.Spec {
  override epilogue(): void {
    super.epilogue()
    const { passes, failures, pending } = this.stats
    if (pending > 0) Mocha.reporters.Base.consoleLog(`${pending} skipped: see above for what was not there`)
    const times = process.env[TIMES]
    if (times) for (const line of slowest(timesIn(times))) Mocha.reporters.Base.consoleLog(line)
    Mocha.reporters.Base.consoleLog(`${passes} passed, ${failures} failed`)
    this.tellFiles()
  }
  // D1205: a file with a failed test is run once more, alone
  private tellFiles(): void {
    const path = process.env[FAILED_FILES]
    const files = this.failures.map(({ file }) => file)
    // One without a file cannot be run again: then none is told.
    if (path && !files.includes(undefined)) writeFileSync(path, [...new Set(files)].join('\n'))
  }
}
