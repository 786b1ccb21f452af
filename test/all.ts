/**
 * `make test`: all tests, five files at a time, those first that took longest the last time. A file with a test that fails is run once more, alone,
 * and named: see D1205. `SHARE=2/3` plays those of the second of three machines. What each file took is kept in `dist/test-times.jsonl`, and the slowest are printed at the end;
 * `UPDATE_TIMES=1` keeps the long ones for other checkouts.
 * Exit code: 0, or 1 when a test failed twice, or when too many failed to be an accident.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { IS_LONG, PASSED } from './support/long.ts'
import { FAILED_FILES } from './support/runner/reporter.ts'
import { KEPT, keepTimes, LONG_MS, longestFirst, shareOf, TIMES, timesIn } from './support/runner/times.ts'

/** More than this is no accident of what else the machine does. */
const MOST_FILES = 6
const MOCHA = 'node_modules/.bin/mocha'
const RECORD = 'dist/test-times.jsonl'
// D1681: files that wait leave the processors to others
/** Files at a time, on two processors. */
const JOBS = 5

const list = join(tmpdir(), `troupe-failed-${process.pid}`)
const times = join(tmpdir(), `troupe-times-${process.pid}`)

function mocha(...args: string[]): number {
  for (const path of [list, times]) rmSync(path, { force: true })
  const env = { ...process.env, [FAILED_FILES]: list, [TIMES]: times }
  const { status } = spawnSync(MOCHA, args, { stdio: 'inherit', env })
  keepTimes(RECORD, timesIn(times))
  // D1683: an end without the last line is a failure
  if (status !== 0 || existsSync(list)) return status ?? 1
  console.log('mocha has ended before it came to the last file')
  return 1
}
function keepLong(): void {
  rmSync(KEPT, { force: true })
  keepTimes(
    KEPT,
    timesIn(RECORD).filter(({ wallMs }) => wallMs >= LONG_MS)
  )
}
/** Empty when mocha itself has ended before it could tell. */
function failedFiles(): string[] {
  try {
    return readFileSync(list, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((file) => relative('', file))
  } catch {
    return []
  }
}

function all(): number {
  const found = readdirSync('dist/test', { recursive: true, encoding: 'utf8' })
  const files = found.filter((name) => name.endsWith('.test.js')).map((name) => join('dist/test', name))
  // D1652: a long file that begins last is waited for alone
  const own = shareOf(longestFirst(files.sort(), [timesIn(KEPT), timesIn(RECORD)].flat()), process.env.SHARE)
  const code = mocha('--parallel', '--jobs', String(JOBS), ...own)
  if (process.env.UPDATE_TIMES === '1') keepLong()
  return code === 0 ? 0 : again()
}

function again(): number {
  const files = failedFiles()
  if (files.length === 0 || files.length > MOST_FILES) return 1
  console.log(`failed beside others, run once more alone: ${files.join(', ')}`)
  const code = mocha(...files)
  console.log(
    code === 0 ? `unsteady: passed alone, failed beside others: ${files.join(', ')}` : 'failed beside others and alone'
  )
  return code === 0 ? 0 : 1
}

/** For the release check: all of it has passed, and on which commit. */
function keepPassed(): void {
  const git = (...argv: string[]) => execFileSync('git', argv, { encoding: 'utf8' }).trim()
  if (git('status', '--porcelain') === '') writeFileSync(PASSED, `${git('rev-parse', 'HEAD')}\n`)
}

process.exitCode = all()
if (IS_LONG && process.env.SHARE === undefined && process.exitCode === 0) keepPassed()
for (const path of [list, times]) rmSync(path, { force: true })
