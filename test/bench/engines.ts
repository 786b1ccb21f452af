/** The two engines: how their servers are started. Dagu is found, or installed for this one invocation. */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { removedAtTheEnd } from './leaving.ts'

export interface Engine {
  name: 'Troupe' | 'Dagu'
  /** Of its environment variables; those with it reach the processes of steps. */
  prefix: string
  /** Environment variables of the caller that are handed on. */
  settings: string[]
  server(place: { home: string; dags: string; port: number }): {
    command: string
    args: string[]
    env: NodeJS.ProcessEnv
  }
}

const MAIN = fileURLToPath(new URL('../../bin/troupe.js', import.meta.url))

/** This project, as built. @throws Error when it is not */
export function troupe(): Engine {
  if (!existsSync(MAIN)) throw new Error('Troupe is not built: make build')
  return {
    name: 'Troupe',
    prefix: 'ENGINE_',
    settings: ['ENGINE_DURABILITY', 'ENGINE_MAX_PROCESSES'],
    server: ({ home, dags, port }) => ({
      command: process.execPath,
      args: [MAIN, 'start-all', '--home', home, '--port', String(port)],
      env: { ENGINE_HOME: home, ENGINE_DAGS_DIR: dags }
    })
  }
}

/** Dagu, from a path of `dagu`. Its coordinator cannot be switched off; port 0 lets it take any free one. */
export const dagu = (program: string): Engine => ({
  name: 'Dagu',
  prefix: 'DAGU_',
  settings: [],
  server: ({ home, dags, port }) => ({
    command: program,
    args: ['start-all', '--host', '127.0.0.1', '--port', String(port), '--dags', dags, '--coordinator.port', '0'],
    env: { DAGU_HOME: home, DAGU_AUTH_MODE: 'none', DAGU_SKIP_EXAMPLES: 'true', DAGU_SCHEDULER_PORT: '0' }
  })
})

const PACKAGE = `@dagu-org/dagu-${process.platform}-${process.arch}`
const VERSION = '1.30.2'

/**
 * The path of a `dagu`: below `folder` if there is one, else on PATH, else from npm, installed into a temporary folder.
 * @throws Error saying what was tried
 */
export async function findDagu(folder: string | undefined, path = process.env.PATH ?? ''): Promise<string> {
  if (folder) {
    const found = programIn([folder, join(folder, 'bin'), join(folder, 'node_modules', PACKAGE, 'bin')])
    if (found) return found
    throw new Error(`BENCH_DAGU: no program dagu below ${folder}`)
  }
  return programIn(path.split(delimiter)) ?? installed()
}

const programIn = (folders: string[]) => folders.map((folder) => join(folder, 'dagu')).find(isProgram)

async function installed(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-dagu-'))
  removedAtTheEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const wanted = `${PACKAGE}@${VERSION}`
  const flags = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
  const npm = promisify(execFile)('npm', ['install', ...flags, wanted], { cwd: folder })
  const stop = removedAtTheEnd(() => void npm.child.kill())
  await npm.catch((cause) => {
    throw new Error(`no dagu on PATH, and npm could not install ${wanted}`, { cause })
  })
  stop()
  return join(folder, 'node_modules', PACKAGE, 'bin', 'dagu')
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
