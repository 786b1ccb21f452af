/**
 * Short lives of the packaged program, one after another on one home, in which what most lives call is called once: the compiled code
 * is kept beside it, and each life adds to what the one before has kept. Run by `bundle.mjs`. Source: performance 5.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const COMMANDS = ['version', 'help', 'start daily', 'status daily', 'logs short', 'runs', 'list', 'queues', 'waiting']

const home = mkdtempSync(join(tmpdir(), 'troupe-build-'))
try {
  run('warm-server.mjs', home)
  for (const command of COMMANDS) run('warm-life.mjs', ...command.split(' '), '--home', home)
} finally {
  rmSync(home, { recursive: true, force: true })
}

function run(file, ...words) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  execFileSync(process.execPath, [path, ...words], { stdio: ['ignore', 'ignore', 'pipe'], timeout: 120_000 })
}
