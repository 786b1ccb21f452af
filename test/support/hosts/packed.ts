/**
 * The package as npm packs it, installed in a folder beside the programs of `fixtures/hosts`. The packages that it and the programs depend
 * on are links to those of the project; nothing is downloaded, except for programs that need a runner of tests or another compiler.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { PROJECT } from '../project.ts'
import { sharedFolder } from '../services.ts'

const run = promisify(execFile)

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}
const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

export interface Hosts {
  /** With a folder for each program, and one for each package in `node_modules`. */
  folder: string
  /** Runs a program there. @returns what it prints @throws when it fails */
  run(program: string, ...argv: string[]): Promise<{ out: string; err: string }>
  /** Runs the script `test` of a program. @returns what it prints @throws when it fails */
  test(program: string): Promise<{ out: string; err: string }>
}

/** The packed file, as pages write it. */
export const PACKED = '/path/to/troupe-VERSION.tgz'

let packing: Promise<{ file: string; unpacked: string }> | undefined

// D1682: the package is packed once for all files of tests
/** The package, made once for all files of tests. */
export function packed(): Promise<{ file: string; unpacked: string }> {
  packing ??= pack()
  return packing
}

/** Whoever holds the lock makes it, or finds it made. */
const PACK =
  'test -e "$0" || { rm -rf "$0.begun" && mkdir "$0.begun" && npm pack --ignore-scripts --silent --pack-destination "$0.begun" && tar -xzf "$0.begun"/*.tgz -C "$0.begun" && mv "$0.begun" "$0"; } >&2'

async function pack(): Promise<{ file: string; unpacked: string }> {
  const folder = join(sharedFolder(), 'packed')
  await run('flock', ['-o', `${folder}.lock`, 'sh', '-c', PACK, folder], { cwd: PROJECT })
  const name = readdirSync(folder).find((one) => one.endsWith('.tgz')) ?? ''
  return { file: join(folder, name), unpacked: join(folder, 'package') }
}

const INSTALL = [
  'install',
  '--no-save',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--fetch-retries=1',
  '--loglevel=error'
]

// D1230: runners of tests and a second compiler are installed by the tests that need them
/** Has npm install these of what `fixtures/hosts/package.json` names, in the versions of its lock file. @throws when npm cannot */
async function installTools(folder: string, tools: readonly string[]): Promise<void> {
  const path = join(folder, 'package.json')
  const { devDependencies: all = {}, ...manifest } = manifestIn(folder)
  const devDependencies = Object.fromEntries(tools.map((name) => [name, all[name]]))
  writeFileSync(path, JSON.stringify({ ...manifest, devDependencies }))
  await run('npm', INSTALL, { cwd: folder, timeout: INSTALLING_MS })
}

/** 300 packages: seconds when npm has them in its cache. */
export const INSTALLING_MS = 300_000

/** Whether npm has failed because it reaches no registry, and not because of what it was asked for. */
export const isOffline = (error: unknown): boolean =>
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/.test(
    String(error)
  )

/** @param tools of those that `fixtures/hosts/package.json` names, which npm downloads @param lean without the packages that npm leaves out with `--omit=optional` @param more packages of the host itself */
export async function installedHosts({
  tools = [],
  lean = false,
  more = []
}: {
  tools?: readonly string[]
  lean?: boolean
  more?: string[]
} = {}): Promise<Hosts> {
  const { unpacked } = await packed()
  const folder = mkdtempSync(join(dirname(unpacked), 'hosts-'))
  const packages = join(folder, 'node_modules')
  cpSync(join(PROJECT, 'fixtures', 'hosts'), folder, { recursive: true })
  if (tools.length > 0) await installTools(folder, tools)
  cpSync(unpacked, join(packages, 'troupe'), { recursive: true })
  const { dependencies = {}, optionalDependencies = {} } = manifestIn(unpacked)
  const wanted = { ...dependencies, ...(lean ? {} : optionalDependencies) }
  for (const name of new Set([...Object.keys(wanted), ...more])) {
    const place = join(packages, name)
    mkdirSync(dirname(place), { recursive: true })
    rmSync(place, { recursive: true, force: true }) // a tool may have brought its own
    symlinkSync(join(PROJECT, 'node_modules', name), place)
  }
  return {
    folder,
    async run(program, ...argv) {
      const argvOfNode = [join(folder, program), ...argv]
      const { stdout: out, stderr: err } = await run(process.execPath, argvOfNode, { timeout: 60_000 })
      return { out, err }
    },
    async test(program) {
      const { stdout: out, stderr: err } = await run('npm', ['test', '--silent'], {
        cwd: join(folder, program),
        timeout: 120_000,
        env: { ...process.env, NO_COLOR: '1', CI: '1' }
      })
      return { out, err }
    }
  }
}
