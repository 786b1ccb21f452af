/**
 * `make bench-executors`: what a step costs beyond the work itself, by executor, each beside the bare thing on the same machine in
 * the same minute. Real services, started where their scripts are at hand; a row without one says so. Not part of `make check`.
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { Client } from 'ssh2'
import { connectionOptions } from '../../src/executors/docker/connection.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import { PROJECT } from '../support/import-table.ts'
import { grownBy } from '../support/memory.ts'
import { median } from './figures.ts'

const SCRIPTS = join(PROJECT, '..', 'shared', 'services')
const IMAGE = 'local/busybox:latest'
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const OUTPUT_BYTES = 200_000_000
const MUCH_BYTES = 1_000_000_000

interface Row {
  figure: string
  wanted: string
  /** Absent: it could not be measured, for this reason. */
  value: number | string
  unit: string
  /** Processor time of this process, ms for each step or in all. */
  cpu?: number
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

/** Milliseconds by step of a chain of equal steps, and processor time. The first one is left out: it opens connections. */
async function perStep(engine: Engine, count: number, step: string, more = ''): Promise<{ ms: number; cpu: number }> {
  const steps = Array.from({ length: count + 1 }, () => `  - ${step}`).join('\n')
  const before = process.cpuUsage()
  const { run, nodes } = await engine.result(await engine.start({ spec: `name: bench\n${more}\nsteps:\n${steps}\n` }))
  const { user, system } = process.cpuUsage(before)
  const failed = nodes.find(({ node }) => node.status !== 'succeeded')
  if (failed) throw new Error(`${run.status}: ${failed.node.error}`)
  const [from = 0, to = 0] = [nodes[0]?.node.finishedAt, nodes.at(-1)?.node.finishedAt]
  return { ms: (to - from) / count, cpu: (user + system) / 1_000 / count }
}

async function timed(count: number, work: () => Promise<unknown>): Promise<number> {
  await work() // connections, caches
  const begun = performance.now()
  for (let at = 0; at < count; at++) await work()
  return (performance.now() - begun) / count
}

async function dockerStep(engine: Engine, address: string): Promise<Row> {
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
  const differences: number[] = []
  const cpus: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await timed(10, bare)
    const { ms, cpu } = await perStep(engine, 10, step)
    differences.push(ms - alone)
    cpus.push(cpu)
  }
  return {
    figure: 'docker step over the bare engine API',
    wanted: '<= 20',
    value: median(differences),
    unit: 'ms',
    cpu: median(cpus)
  }
}

const keyIn = (folder: string) => join(folder, 'sshd', 'user_key')

/** `ssh` of a definition. */
function sshTarget(address: string, folder: string): string {
  const { username, hostname, port } = new URL(address)
  const hosts = join(folder, 'sshd', 'known_hosts')
  return `ssh: {user: "${username}", host: ${hostname}, port: ${port}, key: ${keyIn(folder)}, knownHostFile: ${hosts}}`
}

async function sshStep(engine: Engine, address: string, folder: string): Promise<Row> {
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
  const target = sshTarget(address, folder)
  const differences: number[] = []
  const cpus: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await timed(20, bare)
      const { ms, cpu } = await perStep(engine, 20, 'command: "true"', target)
      differences.push(ms - alone)
      cpus.push(cpu)
    }
  } finally {
    client.end()
  }
  return {
    figure: 'ssh step, warm, over the bare channel',
    wanted: '<= 30',
    value: median(differences),
    unit: 'ms',
    cpu: median(cpus)
  }
}

async function jqStep(engine: Engine): Promise<Row> {
  const step = `{executor: jq, command: ".a | map(. + 1)", script: '{"a": [1, 2, 3]}'}`
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await perStep(engine, 30, step))
  return {
    figure: 'jq step',
    wanted: '<= 10',
    value: median(rounds.map(({ ms }) => ms)),
    unit: 'ms',
    cpu: median(rounds.map(({ cpu }) => cpu))
  }
}

async function output(engine: Engine): Promise<Row> {
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
    const { user, system } = process.cpuUsage(before)
    cpus.push((user + system) / 1_000)
    const log = nodes[0]?.node.stdout ?? ''
    if (statSync(log).size !== OUTPUT_BYTES) throw new Error(`the log has ${statSync(log).size} bytes`)
    rmSync(log)
  }
  return {
    figure: '200 MB through shell over a plain redirect',
    wanted: '<= 1.5',
    value: median(ratios),
    unit: 'times',
    cpu: median(cpus)
  }
}

/** Memory of the engine while one step prints 1 GB, once. @param more of the definition */
async function flat(engine: Engine, name: string, step: string, more = ''): Promise<Row> {
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
  const { user, system } = process.cpuUsage(before)
  const { size } = statSync(log)
  if (size !== MUCH_BYTES) throw new Error(`${name}: the log has ${size} bytes`)
  rmSync(log)
  const figure = `memory during 1 GB, ${name}`
  return { figure, wanted: '<= 80', value: grown, unit: 'MB', cpu: (user + system) / 1_000 }
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
const engine = await createEngine({ temporary: true, defaultShell: 'sh' })
try {
  const rows: Row[] = [
    docker
      ? await dockerStep(engine, docker)
      : { figure: 'docker step over the bare engine API', wanted: '<= 20', value: 'no Docker engine here', unit: '' },
    sshd
      ? await sshStep(engine, sshd, root)
      : { figure: 'ssh step, warm, over the bare channel', wanted: '<= 30', value: 'no ssh server here', unit: '' },
    await jqStep(engine),
    await output(engine),
    await flat(engine, 'shell', '"PRINT"'),
    await flat(engine, 'shell, masked', '"PRINT"', masked())
  ]
  if (sshd) rows.push(await flat(engine, 'ssh', '"PRINT"', sshTarget(sshd, root)))
  if (docker) {
    const own = `{executor: {type: docker, config: {image: "${IMAGE}", autoRemove: true}}, script: "PRINT"}`
    rows.push(await flat(engine, 'docker', own))
    rows.push(await flat(engine, "docker, the run's container", '{script: "PRINT"}', `container: {image: "${IMAGE}"}`))
  }
  for (const { figure, wanted, value, unit, cpu } of rows)
    console.log(
      `${figure.padEnd(44)} ${wanted.padEnd(7)} ${typeof value === 'number' ? value.toFixed(2) : value} ${unit}${cpu === undefined ? '' : `   (CPU of the engine: ${cpu.toFixed(1)} ms)`}`
    )
  console.log(`Medians of ${ROUNDS} round(s).`)
} finally {
  await engine.close()
  if (sshd) await promisify(execFile)(join(SCRIPTS, 'sshd.sh'), ['stop'], { env: { ...process.env, SVC_ROOT: root } })
  rmSync(root, { recursive: true, force: true })
}
process.exit() // a Docker client may keep a socket
