/** Services that several files of tests share, also those in another process: started by the first that wants one, ended after the last file. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROJECT } from './project.ts'

const run = promisify(execFile)
const SCRIPTS = join(PROJECT, '..', 'shared', 'services')
const STARTING_MS = 60_000
/** In the environment of the processes that run files: the folder with a file for each service that is ours to end, and with what else files share. */
const OURS = 'TROUPE_TEST_SERVICES'

const script = (name: string): string => join(SCRIPTS, `${name}.sh`)

export interface Service {
  /** Set while tests run. */
  readonly address: string
}

/** What services are started with, whichever file is the first that wants them. */
const ENVIRONMENT: Record<string, string> = {
  // Docker with a bridge of its own: ports and networks work.
  DOCKER_BRIDGE: '1'
}

/** Has it up for the tests of a `describe`, which are skipped, to be seen, where it cannot run. */
export function service(name: string): Service {
  let address: string | undefined
  before(async function () {
    this.timeout(STARTING_MS)
    if (!existsSync(script(name))) return this.skip()
    try {
      address = await started(name)
    } catch (error) {
      if ((error as { code?: number }).code === 3) return this.skip()
      throw error
    }
  })
  return {
    get address() {
      if (address !== undefined) return address
      throw new Error(`${name} is up in tests only`)
    }
  }
}

/** One at a time: a second start would end what the first has not brought up yet. */
const START = '"$0" status >&2 || : >"$1"; exec "$0" start'

async function started(name: string): Promise<string | undefined> {
  const mark = join(sharedFolder(), name)
  const words = ['-o', join(tmpdir(), `troupe-service-${name}.lock`), 'bash', '-c', START, script(name), mark]
  const { stdout } = await run('flock', words, { env: { ...process.env, ...ENVIRONMENT } })
  return stdout.trim().split('\n').at(-1)
}

/** What files of tests share is there until the last has ended. */
export const sharedFolder = (): string => process.env[OURS] ?? ''

/** Called once, before all files. */
export function expectServices(): void {
  process.env[OURS] = mkdtempSync(join(tmpdir(), 'troupe-services-'))
}

/** Called once, after all files: ends those that did not run before. */
export async function endServices(): Promise<void> {
  const folder = sharedFolder()
  for (const name of readdirSync(folder)) if (existsSync(script(name))) await run(script(name), ['stop'])
  rmSync(folder, { recursive: true })
}
