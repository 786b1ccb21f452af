/**
 * `make test`: all tests, three files at a time. A file with a test that fails is run once more, alone, and named: see D1205.
 * Exit code: 0, or 1 when a test failed twice, or when too many failed to be an accident.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { FAILED_FILES } from './support/runner/reporter.ts'

/** More than this is no accident of what else the machine does. */
const MOST_FILES = 6
const MOCHA = 'node_modules/.bin/mocha'

const list = join(tmpdir(), `troupe-failed-${process.pid}`)

function mocha(...args: string[]): number {
  rmSync(list, { force: true })
  const { status } = spawnSync(MOCHA, args, { stdio: 'inherit', env: { ...process.env, [FAILED_FILES]: list } })
  return status ?? 1
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
  if (mocha('--parallel', '--jobs', '3', ...process.argv.slice(2)) === 0) return 0
  const files = failedFiles()
  if (files.length === 0 || files.length > MOST_FILES) return 1
  console.log(`failed beside others, run once more alone: ${files.join(', ')}`)
  const code = mocha(...files)
  console.log(
    code === 0 ? `unsteady: passed alone, failed beside others: ${files.join(', ')}` : 'failed beside others and alone'
  )
  return code === 0 ? 0 : 1
}

process.exitCode = all()
rmSync(list, { force: true })
