/**
 * Stands for `docker compose`, which is a plugin that is not everywhere: does what `up` does with the members that our files have, and
 * refuses others. Without `--detach` it stays until SIGTERM, and then stops and removes the containers.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'

/** What is different from what the file says: the test's, in COMPOSE_STAND_IN. */
export interface Differences {
  /** Names of containers and volumes begin with it. */
  project: string
  /** Of every container; there is no default one. */
  network: string
  /** Of this machine, which everybody uses: which is taken for the one that a file publishes. Absent: none is published. */
  ports?: Record<string, string>
  /** Instead of what is built: flags and image, and the words before its command. Absent: the file's image is built as it says. */
  image?: { flags: string[]; words: string[] }
}
interface Service {
  build: string
  image?: string
  command?: string[]
  environment: Record<string, string>
  ports?: string[]
  volumes: string[]
  read_only?: boolean
  tmpfs?: string[]
  cap_drop?: string[]
  security_opt?: string[]
  restart: string
  stop_grace_period?: string
}

const differences: Differences = JSON.parse(process.env.COMPOSE_STAND_IN ?? '')
const { project, ports: taken, image: other } = differences
const docker = (...words: string[]) => execFileSync('docker', words, { encoding: 'utf8' }).trim()

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { file: { type: 'string' }, build: { type: 'boolean' }, detach: { type: 'boolean' } }
})
const file = values.file ?? ''
if (positionals.join(' ') !== 'up') throw new Error(`it knows "up", and not "${positionals.join(' ')}"`)

/** `${NAME:?what it is}` is demanded of the environment. */
const filled = (text: string) =>
  text.replace(/\$\{(\w+):\?([^}]*)\}/g, (_all, name: string, what: string) => {
    const value = process.env[name]
    if (!value) throw new Error(`required variable ${name} is missing a value: ${what}`)
    return value
  })
const flag = (name: string, list: string[] = []) => list.flatMap((value) => [`--${name}`, value])
const seconds = (period: string) => String(Number.parseInt(period, 10) * (period.endsWith('m') ? 60 : 1))

const { services, volumes: named } = parse(readFileSync(file, 'utf8')) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}
const made: string[] = []
for (const [name, service] of Object.entries(services)) {
  const { build, image = `${project}-${name}`, command = [], environment, ports = [], volumes, restart } = service
  const { read_only, tmpfs, cap_drop, security_opt, stop_grace_period, ...rest } = service
  const unknown = Object.keys(rest).filter(
    (key) => !/^(build|image|command|environment|ports|volumes|restart)$/.test(key)
  )
  if (unknown.length > 0) throw new Error(`it does not know ${unknown}`)
  if (values.build && !other) docker('build', '--tag', image, resolve(dirname(file), build))
  const mounts = volumes.map((mount) => {
    if (!(mount.split(':')[0] ?? '' in named)) throw new Error(`no volume is declared for ${mount}`)
    return `${project}-${mount}`
  })
  docker(
    'run',
    '--detach',
    '--name',
    `${project}-${name}`,
    '--network-alias',
    name,
    ...flag(
      'env',
      Object.entries(environment).map(([key, value]) => `${key}=${filled(value)}`)
    ),
    ...flag('volume', mounts),
    ...flag('publish', taken ? ports.map((port) => taken[port] ?? port) : []),
    ...(read_only ? ['--read-only'] : []),
    ...flag('tmpfs', tmpfs),
    ...flag('cap-drop', cap_drop),
    ...flag('security-opt', security_opt),
    '--restart',
    restart,
    ...(stop_grace_period ? ['--stop-timeout', seconds(stop_grace_period)] : []),
    ...(other ? [...other.flags, ...other.words] : [image]),
    ...command
  )
  made.push(`${project}-${name}`)
}
if (!values.detach) {
  console.log(`up: ${made.join(' ')}`)
  const waiting = setInterval(() => {}, 60_000)
  await new Promise((resolve) => process.once('SIGTERM', resolve))
  clearInterval(waiting)
  docker('rm', '--force', ...made)
}
