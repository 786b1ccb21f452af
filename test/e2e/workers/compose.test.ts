/**
 * The compose file of a server and two workers, on a real Docker engine. What a compose program does with it is done here one by one. There
 * is no registry, so the image is a small one with this machine's Node, NATS server and build of Troupe in it. Source: docs/workers.md.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { parse } from 'yaml'
import { temporaryFolder } from '../../support/homes.ts'
import { needsNats } from '../../support/nats.ts'
import { PROJECT } from '../../support/project.ts'
import { service } from '../../support/services.ts'
import { eventually } from '../../support/waiting.ts'

interface Service {
  command: string[]
  environment: Record<string, string>
  volumes: string[]
}
const run = promisify(execFile)
const FOLDER = join(PROJECT, 'fixtures', 'compose')
const TROUPE = [process.execPath, join(PROJECT, 'dist', 'bin', 'troupe.js')]

describe('workers › in containers', function () {
  this.timeout(90_000)
  needsNats()
  const engine = service('docker')
  const docker = async (...words: string[]) => (await run('docker', ['-H', engine.address, ...words])).stdout
  const ours = `troupe-compose-${process.pid}`
  const nameOf = (name: string) => `${ours}-${name}`
  const homes = temporaryFolder()
  const { services } = parse(readFileSync(join(FOLDER, 'compose.yaml'), 'utf8')) as {
    services: Record<string, Service>
  }
  const logs = async (name: string) => {
    const { stdout, stderr } = await run('docker', ['-H', engine.address, 'logs', nameOf(name)])
    return stdout + stderr
  }
  const troupe = (...words: string[]) => docker('exec', nameOf('server'), ...TROUPE, ...words)
  /** Where its programs are, and what they need of this machine. */
  const machine = () => {
    const PATH = `${process.env.PATH}:/usr/sbin`
    const nats = spawnSync('sh', ['-c', 'command -v nats-server'], { env: { PATH }, encoding: 'utf8' }).stdout.trim()
    const places = [
      '/lib/x86_64-linux-gnu',
      '/lib/aarch64-linux-gnu',
      '/lib64',
      '/usr/lib',
      realpathSync(process.execPath),
      PROJECT
    ]
    const mounts = [...places.filter(existsSync), realpathSync(join(PROJECT, 'node_modules'))].map(
      (path) => `${path}:${path}:ro`
    )
    return [...mounts, `${nats}:/bin/nats-server:ro`].flatMap((mount) => ['-v', mount])
  }
  before(async () => {
    await docker('network', 'create', '--subnet', '172.31.241.0/24', ours)
    for (const [name, { command, environment, volumes }] of Object.entries(services)) {
      const variables = Object.entries({ ...environment, ENGINE_HOME: '/var/lib/troupe' })
      const home = join(homes, name)
      mkdirSync(home)
      expect(volumes).to.deep.equal([`${name}:/var/lib/troupe`])
      await docker(
        ...[
          'run',
          '-d',
          '--name',
          nameOf(name),
          '--network',
          ours,
          '--network-alias',
          name,
          '-v',
          `${home}:/var/lib/troupe`
        ],
        ...variables.flatMap(([key, value]) => [
          '-e',
          `${key}=${value.replace(/\$\{TROUPE_PEER_TOKEN:[^}]*\}/, 'sesame')}`
        ]),
        ...machine(),
        ...['local/busybox:latest', ...TROUPE, ...command]
      )
    }
  })
  after(async () => {
    await docker('rm', '-f', ...Object.keys(services).map(nameOf)).catch(() => {})
    await docker('network', 'rm', ours).catch(() => {})
  })

  it('both workers serve, and a workflow runs on both of them', async () => {
    const listed = await eventually(
      'two workers',
      async () => {
        const { workers } = JSON.parse(await troupe('workers', '--json').catch(() => '{"workers":[]}'))
        return workers.length === 2 ? workers : undefined
      },
      60_000
    ).catch(async (error: Error) => {
      throw new Error(`${error.message}\n${(await Promise.all(Object.keys(services).map(logs))).join('\n')}`)
    })
    expect(
      listed.map(({ id, healthStatus }: { id: string; healthStatus: string }) => [id, healthStatus])
    ).to.deep.equal([
      ['worker-a', 'healthy'],
      ['worker-b', 'healthy']
    ])
    const spec = (zone: string) =>
      `---\nname: on-${zone}\nworkerSelector: {zone: ${zone}}\nsteps: [{name: where, command: 'echo "on $(cat /var/lib/troupe/name)"'}]\n`
    for (const name of ['worker-a', 'worker-b']) writeFileSync(join(homes, name, 'name'), name)
    const both = `name: both\nsteps: [{name: left, call: on-a}, {name: right, call: on-b}]\n${spec('a')}${spec('b')}`
    writeFileSync(join(homes, 'server', 'both.yaml'), both)
    const shown = await troupe('start', '/var/lib/troupe/both.yaml')
    expect(shown).to.contain('left/where | on worker-a\n').and.contain('right/where | on worker-b\n')
  })
})
