/**
 * The compose file of a server and two workers, on a real Docker engine, started by the command of docs/workers.md. There is no registry, so
 * the image is a small one with this machine's Node, NATS server and build of Troupe in it.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { blockWith } from '../../support/docs/blocks.ts'
import { type Pasted, shellIn } from '../../support/docs/pasting.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { installDocker } from '../../support/images/docker-words.ts'
import { needsNats } from '../../support/nats.ts'
import { PROJECT } from '../../support/project.ts'
import { service } from '../../support/services.ts'
import { eventually } from '../../support/waiting.ts'

const run = promisify(execFile)
const SERVICES = ['server', 'worker-a', 'worker-b']
const TROUPE = [process.execPath, join(PROJECT, 'dist', 'bin', 'troupe.js')]

describe('workers › in containers', function () {
  this.timeout(90_000)
  needsNats()
  const engine = service('docker')
  const docker = async (...words: string[]) => (await run('docker', ['-H', engine.address, ...words])).stdout
  const ours = `troupe-compose-${process.pid}`
  const nameOf = (name: string) => `${ours}-${name}`
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
  const ending = new AbortController()
  let up: Promise<Pasted> | undefined
  before(async () => {
    await docker('network', 'create', '--subnet', '172.31.241.0/24', ours)
    const shell = shellIn(temporaryFolder())
    const image = {
      flags: ['--env', 'ENGINE_HOME=/var/lib/troupe', ...machine()],
      words: ['local/busybox:latest', ...TROUPE]
    }
    installDocker(shell, engine.address, { project: ours, network: ours, image })
    const command = blockWith('docs/workers.md', 'sh', 'docker compose')
    up = shell.paste(command, { cwd: PROJECT, ending: ending.signal })
  })
  after(async () => {
    if (!up) return // skipped
    ending.abort()
    const { out } = await up
    await docker('rm', '-f', ...SERVICES.map(nameOf)).catch(() => {})
    await docker('network', 'rm', ours).catch(() => {})
    await docker('volume', 'rm', ...SERVICES.map(nameOf)).catch(() => {})
    expect(out).to.contain('up: ')
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
      throw new Error(`${error.message}\n${(await Promise.all(SERVICES.map(logs))).join('\n')}`)
    })
    expect(
      listed.map(({ id, healthStatus }: { id: string; healthStatus: string }) => [id, healthStatus])
    ).to.deep.equal([
      ['worker-a', 'healthy'],
      ['worker-b', 'healthy']
    ])
    const spec = (zone: string) =>
      `---\nname: on-${zone}\nworkerSelector: {zone: ${zone}}\nsteps: [{name: where, command: 'echo "on $(cat /var/lib/troupe/name)"'}]\n`
    const inside = (name: string, script: string) => docker('exec', nameOf(name), 'sh', '-c', script)
    for (const name of ['worker-a', 'worker-b']) await inside(name, `echo ${name} > /var/lib/troupe/name`)
    const both = `name: both\nsteps: [{name: left, call: on-a}, {name: right, call: on-b}]\n${spec('a')}${spec('b')}`
    await inside('server', `cat > /var/lib/troupe/both.yaml <<'END'\n${both}END\n`)
    const shown = await troupe('start', '/var/lib/troupe/both.yaml')
    expect(shown).to.contain('left/where | on worker-a\n').and.contain('right/where | on worker-b\n')
  })
})
