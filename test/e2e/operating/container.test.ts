/**
 * The image of the Dockerfile, built and run on a real Docker engine as docs/operating/compose.yaml says. Source: docs/operating/container.md.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { parse } from 'yaml'
import { builtImage } from '../../support/images/built-image.ts'
import { packagesWith } from '../../support/images/debian-image.ts'
import { PROJECT } from '../../support/project.ts'
import { service } from '../../support/services.ts'
import { eventually } from '../../support/waiting.ts'

interface Compose {
  services: Record<
    string,
    {
      environment: Record<string, string>
      volumes: string[]
      read_only: boolean
      tmpfs: string[]
      cap_drop: string[]
      security_opt: string[]
      stop_grace_period: string
    }
  >
  volumes: Record<string, unknown>
}
const run = promisify(execFile)
const BUILDING_MS = 480_000
const PACKAGES = ['apt', 'ca-certificates', 'libstdc++6', 'nats-server', 'passwd', 'tini']

describe('container › the image', function () {
  this.timeout(120_000)
  const engine = service('docker')
  const image = `troupe-image-${process.pid}`
  const docker = async (...words: string[]) => (await run('docker', ['-H', engine.address, ...words])).stdout.trim()
  const { services, volumes: named }: Compose = parse(
    readFileSync(join(PROJECT, 'docs', 'operating', 'compose.yaml'), 'utf8')
  )
  let images: string[] = []
  const made = new Set<string>()
  const homes = new Set<string>()

  before(async function () {
    this.timeout(BUILDING_MS)
    const packages = packagesWith(PACKAGES)
    if (!packages) return this.skip()
    images = await builtImage(['docker', '-H', engine.address], image, packages)
  })
  after(async () => {
    for (const name of made) await docker('rm', '--force', '--volumes', name).catch(() => {})
    for (const name of homes) await docker('volume', 'rm', name).catch(() => {})
    for (const name of images) await docker('rmi', '--force', name).catch(() => {})
  })

  /** What a compose program does with the file, without a network. @param home each has a volume of its own */
  async function started(home: string, more: string[] = [], command: string[] = []): Promise<string> {
    const { environment, volumes, read_only, tmpfs, cap_drop, security_opt, stop_grace_period } =
      services.troupe ?? expect.fail()
    const flag = (name: string, values: string[]) => values.flatMap((value) => [`--${name}`, value])
    const name = `${image}-${made.size}`
    made.add(name)
    homes.add(`${image}-${home}`)
    expect(volumes).to.deep.equal(['home:/var/lib/troupe'])
    expect(named).to.have.all.keys('home')
    expect(stop_grace_period).to.equal('1m')
    await docker(
      ...['run', '--detach', '--name', name, '--network', 'none', '--stop-timeout', '60'],
      ...flag(
        'env',
        Object.entries(environment).map(([key, value]) => `${key}=${value.replace(/^\$\{.*\}$/, 'sesame')}`)
      ),
      ...['--volume', `${image}-${home}:/var/lib/troupe`],
      ...(read_only ? ['--read-only'] : []),
      ...[...flag('tmpfs', tmpfs), ...flag('cap-drop', cap_drop), ...flag('security-opt', security_opt)],
      ...['--health-interval', '1s', ...more, image, ...command]
    )
    return name
  }
  const healthy = (name: string) =>
    eventually('a healthy container', async () => {
      const state = JSON.parse(await docker('inspect', '--format', '{{json .State}}', name))
      if (!state.Running) throw new Error(await said(name))
      return state.Health.Status === 'healthy' || undefined
    })
  const said = async (name: string) => {
    const { stdout, stderr } = await run('docker', ['-H', engine.address, 'logs', name])
    return stdout + stderr
  }
  const shell = (name: string, script: string) => docker('exec', name, 'sh', '-c', script)

  it('it runs as a user that is not root, names its volume, and has a health check, without curl', async () => {
    const { Config } = JSON.parse(await docker('inspect', '--format', '{{json .}}', image))
    expect(Config.User).to.equal('1000:0')
    expect(Config.Volumes).to.deep.equal({ '/var/lib/troupe': {} })
    expect(Config.ExposedPorts).to.deep.equal({ '8080/tcp': {} })
    expect(Config.Healthcheck.Test.slice(0, 2)).to.deep.equal(['CMD', 'node'])
    expect(Config.Entrypoint[0], 'process 1').to.equal('tini')
  })

  it('with a read-only root and no capability it serves, and runs a workflow; its home outlives it; doctor finds nothing', async () => {
    const first = await started('kept')
    await healthy(first)
    await shell(first, `printf 'steps: [{command: "touch /tmp/t && id -u", output: UID}]' > dags/who.yaml`)
    expect(await shell(first, 'troupe start who')).to.equal('cmd_1 | 1000')
    expect(await shell(first, 'troupe doctor | tail -1')).to.equal('nothing is wrong')
    expect(await shell(first, 'touch /usr/local/x 2>&1 || true')).to.contain('Read-only file system')
    await docker('stop', first)
    expect(await docker('inspect', '--format', '{{.State.ExitCode}}', first), 'it ended by itself').to.equal('0')
    const second = await started('kept')
    await healthy(second)
    expect(await shell(second, 'troupe status who')).to.match(/cmd_1 {2}succeeded/)
    expect(await shell(second, 'troupe --version')).to.match(/^\d+\.\d+\.\d+/)
    await docker('stop', second)
  })

  it('process 1 collects what steps have left behind, and SIGTERM ends it in time while a step is at work', async () => {
    const name = await started('left')
    await healthy(name)
    await shell(
      name,
      `printf 'steps: [{command: "sh -c \\"(sleep 0.2) & (sleep 0.3) &\\""}]' > dags/leave.yaml; printf 'steps: [{command: sleep 1000}]' > dags/long.yaml`
    )
    await shell(name, 'troupe start leave')
    await eventually('no process of the step', async () =>
      (await shell(name, 'cat /proc/[0-9]*/stat 2>/dev/null || true')).includes('(sleep)') ? undefined : true
    )
    expect(await shell(name, `cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z ' || true`)).to.equal('0')
    await shell(name, 'troupe enqueue long')
    await eventually(
      'the step',
      async () => (await shell(name, 'cat /proc/[0-9]*/stat 2>/dev/null || true')).includes('(sleep)') || undefined
    )
    await docker('stop', name)
    expect(await docker('inspect', '--format', '{{.State.ExitCode}}', name)).to.equal('0')
  })

  it('its user may have any number, as on OpenShift', async () => {
    const name = await started('any', ['--user', '1000680000:0'])
    await healthy(name)
    await shell(name, `printf 'steps: [{command: id -u}]' > dags/who.yaml`)
    expect(await shell(name, 'troupe start who')).to.equal('cmd_1 | 1000680000')
    expect(await shell(name, 'troupe doctor | tail -1')).to.equal('nothing is wrong')
  })

  it('a worker is healthy while its process is there; a server whose home is gone is not', async () => {
    const worker = await started('worker', [], ['worker', '--worker.coordinators', '127.0.0.1:50055'])
    await healthy(worker)
    const server = await started('server')
    await healthy(server)
    await shell(server, 'rm data/troupe.sock')
    const { stdout } = await run('docker', [
      '-H',
      engine.address,
      'exec',
      server,
      'node',
      '/usr/local/lib/troupe-health.mjs'
    ]).catch((error: { stdout: string }) => error)
    expect(stdout).to.contain('ENOENT')
  })
})
