/**
 * `make bench-executors`: what a step costs beyond the work itself, by executor, each beside the bare thing on the same machine in
 * the same minute. Real services, started where their scripts are present; a row without one says so. Not part of `make check`.
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { Client } from 'ssh2'
import { connectionOptions } from '../../src/executors/docker/connection.ts'
import { createEngine, defineExecutor, type Engine } from '../../src/index.ts'
import { grownBy } from '../support/memory.ts'
import { PROJECT } from '../support/project.ts'
import { median, percentile } from './figures.ts'

const SCRIPTS = join(PROJECT, '..', 'shared', 'services')
const IMAGE = 'local/busybox:latest'
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const DOCKER_TURNS = Number(process.env.TURNS ?? 30)
const TURNS = Number(process.env.TURNS ?? 60)
/** Rounds that do not count. */
const WARM_UP = 2
const OUTPUT_BYTES = 200_000_000
const MUCH_BYTES = 1_000_000_000

interface Found {
  /** A text: why it could not be measured. */
  value: number | string
  unit: string
  /** The interquartile range. */
  spread?: string
  /** Processor time of this process, ms for each step or in all. */
  cpu?: number
}

interface Question {
  figure: string
  wanted: string
  answer(): Promise<Found>
}

const root = mkdtempSync(join(tmpdir(), 'troupe-bench-'))

/** Address of a service; undefined where it cannot run. */
async function started(name: string, environment: Record<string, string>): Promise<string | undefined> {
  const script = join(SCRIPTS, `${name}.sh`)
  if (!existsSync(script)) return undefined
  try {
    const { stdout } = await promisify(execFile)(script, ['start'], { env: { ...process.env, ...environment } })
    return stdout.trim().split('\n').at(-1)
  } catch {
    return undefined
  }
}

/** Steps that alternate with the bare operation, so that noise of the machine affects both equally. */
interface Turns {
  /** By round: ms of the step, from the end of the step before, minus those of the bare operation. */
  differences: number[]
  /** Processor time of the engine per round, which is two steps to it, ms. */
  cpu: number
}

/** The bare operation in a chain: an executor of the host application. */
let bareThing: () => Promise<unknown> = async () => {}
const bareTimes: { ms: number; cpu: number }[] = []
const bareTurn = defineExecutor({
  type: 'bare',
  async execute() {
    const [begun, before] = [performance.now(), process.cpuUsage()]
    await bareThing()
    bareTimes.push({ ms: performance.now() - begun, cpu: cpuSince(before) })
  }
})

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** @param count of rounds; the uncounted ones before them open connections and fill caches @param more of the definition */
async function takingTurns(
  engine: Engine,
  { count, step, more = '' }: { count: number; step: string; more?: string },
  bare: () => Promise<unknown>
): Promise<Turns> {
  bareThing = bare
  bareTimes.length = 0
  const steps = Array.from({ length: count + WARM_UP }, () => `  - {executor: bare}\n  - ${step}`).join('\n')
  const before = process.cpuUsage()
  const { run, nodes } = await engine.result(await engine.start({ spec: `name: bench\n${more}\nsteps:\n${steps}\n` }))
  const cpu = cpuSince(before) - bareTimes.reduce((sum, one) => sum + one.cpu, 0)
  const failed = nodes.find(({ node }) => node.status !== 'succeeded')
  if (failed) throw new Error(`${run.status}: ${failed.node.error}`)
  const finishedAt = (at: number) => nodes[at]?.node.finishedAt ?? Number.NaN
  const differences = bareTimes.map(({ ms }, at) => finishedAt(2 * at + 1) - finishedAt(2 * at) - ms)
  return { differences: differences.slice(WARM_UP), cpu: cpu / (count + WARM_UP) }
}

const foundIn = ({ differences, cpu }: Turns): Found => ({
  value: median(differences),
  unit: 'ms',
  spread: `${percentile(differences, 25).toFixed(1)} to ${percentile(differences, 75).toFixed(1)} in ${differences.length} turns`,
  cpu
})

async function dockerStep(engine: Engine, address: string): Promise<Found> {
  const client = new Docker(connectionOptions({ DOCKER_HOST: address }))
  const bare = async () => {
    const container = await client.createContainer({ Image: IMAGE, Cmd: ['true'] })
    const stream = await container.attach({ stream: true, stdout: true, stderr: true })
    stream.resume()
    await container.start()
    await container.wait()
    await container.remove({ force: true })
  }
  const step = `{executor: {type: docker, config: {image: "${IMAGE}", autoRemove: true}}, command: "true"}`
  return foundIn(await takingTurns(engine, { count: DOCKER_TURNS, step }, bare))
}

const keyIn = (folder: string) => join(folder, 'sshd', 'user_key')

/** `ssh` of a definition. */
function sshTarget(address: string, folder: string): string {
  const { username, hostname, port } = new URL(address)
  const hosts = join(folder, 'sshd', 'known_hosts')
  return `ssh: {user: "${username}", host: ${hostname}, port: ${port}, key: ${keyIn(folder)}, knownHostFile: ${hosts}}`
}

async function sshStep(engine: Engine, address: string, folder: string): Promise<Found> {
  const { username, hostname, port } = new URL(address)
  const key = keyIn(folder)
  const client = new Client()
  await new Promise<void>((resolve, reject) => {
    const privateKey = execFileSync('cat', [key])
    client
      .once('ready', resolve)
      .once('error', reject)
      .connect({ host: hostname, port: Number(port), username, privateKey })
  })
  const bare = () =>
    new Promise<void>((resolve, reject) =>
      client.exec('true', (error, stream) => {
        if (error) return reject(error)
        stream.resume().once('close', () => resolve())
        stream.stderr.resume()
      })
    )
  try {
    const chain = { count: TURNS, step: '{executor: ssh, command: "true"}', more: sshTarget(address, folder) }
    return foundIn(await takingTurns(engine, chain, bare))
  } finally {
    client.end()
  }
}

async function jqStep(engine: Engine): Promise<Found> {
  const step = `{executor: jq, command: ".a | map(. + 1)", script: '{"a": [1, 2, 3]}'}`
  return foundIn(await takingTurns(engine, { count: TURNS, step }, async () => {}))
}

async function output(engine: Engine): Promise<Found> {
  const command = `head -c ${OUTPUT_BYTES} /dev/zero`
  const file = join(root, 'plain')
  const ratios: number[] = []
  const cpus: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    execFileSync('sh', ['-c', `${command} >${file}`])
    const plain = performance.now() - begun
    const before = process.cpuUsage()
    const from = performance.now()
    const { nodes } = await engine.result(await engine.start({ spec: `name: much\nsteps: ["${command}"]` }))
    ratios.push((performance.now() - from) / plain)
    cpus.push(cpuSince(before))
    const log = nodes[0]?.node.stdout ?? ''
    if (statSync(log).size !== OUTPUT_BYTES) throw new Error(`the log has ${statSync(log).size} bytes`)
    rmSync(log)
  }
  return {
    value: median(ratios),
    unit: 'times',
    cpu: median(cpus)
  }
}

/** Memory of the engine while one step prints 1 GB, once. @param more of the definition */
async function flat(engine: Engine, name: string, step: string, more = ''): Promise<Found> {
  const print = `yes ${'x'.repeat(999)} | head -c ${MUCH_BYTES}`
  const spec = `name: flat\n${more}\nsteps: [${step.replace('PRINT', () => print)}]\n`
  const before = process.cpuUsage()
  let log = ''
  const grown = await grownBy(async () => {
    const { nodes } = await engine.result(await engine.start({ spec }))
    const { status, error, stdout = '' } = nodes[0]?.node ?? {}
    if (status !== 'succeeded') throw new Error(`${name}: ${error}`)
    log = stdout
  })
  const cpu = cpuSince(before)
  const { size } = statSync(log)
  if (size !== MUCH_BYTES) throw new Error(`${name}: the log has ${size} bytes`)
  rmSync(log)
  return { value: grown, unit: 'MB', cpu }
}

/** A secret, so that all of it is masked. */
function masked(): string {
  const file = join(root, 'token')
  writeFileSync(file, 'hush-hush')
  return `secrets: [{name: TOKEN, provider: file, key: "${file}"}]`
}

const docker = await started('docker', { DOCKER_BRIDGE: '1' })
const sshd = await started('sshd', { SVC_ROOT: root })
if (docker) process.env.DOCKER_HOST = docker // of the server's environment
const engine = await createEngine({ temporary: true, defaultShell: 'sh', executors: [bareTurn] })

/** @param answer called with the address that it needs */
const asking = (
  figure: string,
  wanted: string,
  address: string | undefined,
  answer: (address: string) => Promise<Found>
): Question => ({
  figure,
  wanted,
  answer: async () => (address === undefined ? { value: 'its server cannot run here', unit: '' } : answer(address))
})
const growing = (name: string, step: string, more?: () => string): Question => ({
  figure: `memory during 1 GB, ${name}`,
  wanted: '<= 80',
  answer: () => flat(engine, name, step, more?.())
})
const own = `{executor: {type: docker, config: {image: "${IMAGE}", autoRemove: true}}, script: "PRINT"}`
const questions: Question[] = [
  asking('docker step over the bare engine API', '<= 20', docker, (address) => dockerStep(engine, address)),
  asking('ssh step, warm, over the bare channel', '<= 30', sshd, (address) => sshStep(engine, address, root)),
  { figure: 'jq step', wanted: '<= 10', answer: () => jqStep(engine) },
  { figure: '200 MB through shell over a plain redirect', wanted: '<= 1.5', answer: () => output(engine) },
  growing('shell', '"PRINT"'),
  growing('shell, masked', '"PRINT"', masked),
  ...(sshd ? [growing('ssh', '"PRINT"', () => sshTarget(sshd, root))] : []),
  ...(docker ? [growing('docker', own)] : []),
  ...(docker
    ? [growing("docker, the run's container", '{script: "PRINT"}', () => `container: {image: "${IMAGE}"}`)]
    : [])
]
try {
  for (const { figure, wanted, answer } of questions) {
    if (!figure.includes(process.env.ONLY ?? '')) continue
    const { value, unit, spread, cpu } = await answer()
    const found = `${typeof value === 'number' ? value.toFixed(2) : value} ${unit}${spread ? ` (${spread})` : ''}`
    const cost = cpu === undefined ? '' : `   CPU of the engine: ${cpu.toFixed(1)} ms`
    console.log(`${figure.padEnd(44)} ${wanted.padEnd(7)} ${found}${cost}`)
  }
  console.log(
    `Steps: medians over turns with the bare thing, and the middle half. 200 MB: median of ${ROUNDS} round(s).`
  )
} finally {
  await engine.close()
  if (sshd) await promisify(execFile)(join(SCRIPTS, 'sshd.sh'), ['stop'], { env: { ...process.env, SVC_ROOT: root } })
  rmSync(root, { recursive: true, force: true })
}
process.exit() // a Docker client may keep a socket
