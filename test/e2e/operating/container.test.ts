/**
 * The image of the Dockerfile, built and run on a real Docker engine by the commands of docs/operating/container.md and of README.md, and as
 * docs/operating/compose.yaml says.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { parse } from 'yaml'
import { blocksOf, blockWith } from '../../support/docs/blocks.ts'
import { type Shell, shellIn } from '../../support/docs/pasting.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { buildWithout } from '../../support/images/built-image.ts'
import { packagesWith } from '../../support/images/debian-image.ts'
import { installDocker } from '../../support/images/docker-words.ts'
import { itLong } from '../../support/long.ts'
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
const [UP = '', RUN = '', LOOK = ''] = blocksOf('docs/operating/container.md', 'sh')
const PACKAGES = ['apt', 'ca-certificates', 'libstdc++6', 'nats-server', 'passwd', 'tini']

describe('container › the image', function () {
  this.timeout(120_000)
  const engine = service('docker')
  const image = `troupe-image-${process.pid}`
  const docker = async (...words: string[]) => (await run('docker', ['-H', engine.address, ...words])).stdout.trim()
  const { services, volumes: named }: Compose = parse(
    readFileSync(join(PROJECT, 'docs', 'operating', 'compose.yaml'), 'utf8')
  )
  const images = [image]
  const made = new Set([`${image}-troupe`, `${image}-page`])
  const homes = new Set([`${image}-home`, `${image}-page`])
  let shell: Shell
  let address = ''

  before(async function () {
    this.timeout(BUILDING_MS)
    const packages = packagesWith(PACKAGES)
    if (!packages) return this.skip()
    const { images: below, flags } = await buildWithout(['docker', '-H', engine.address], image, packages)
    images.push(...below)
    await docker('network', 'create', '--subnet', '172.31.242.0/24', image)
    const published = `127.0.0.1:${await freePort()}:8080`
    address = `http://${published.replace(/:8080$/, '')}`
    // Everybody on this machine has the same engine, so what the pages call troupe has a name of its own here.
    shell = shellIn(temporaryFolder(), [
      ['--tag troupe ', `--tag ${image} `],
      ['--name troupe ', `--name ${image}-page `],
      ['--volume troupe:', `--volume ${image}-page:`],
      ['127.0.0.1:8080:8080', published],
      ['unless-stopped troupe\n', `unless-stopped ${image}\n`],
      ['sesame troupe start-all', `sesame ${image} start-all`],
      ['docker exec troupe ', `docker exec ${image}-page `]
    ])
    const words = { flags: ['--health-interval', '1s'], words: [image] }
    installDocker(shell, engine.address, { project: image, network: image, image: words }, flags)
    const up = await shell.paste(UP, { cwd: PROJECT })
    expect(up.code, up.out).to.equal(0)
  })
  after(async () => {
    for (const name of made) await docker('rm', '--force', '--volumes', name).catch(() => {})
    for (const name of homes) await docker('volume', 'rm', name).catch(() => {})
    await docker('network', 'rm', image).catch(() => {})
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
      'run',
      '--detach',
      '--name',
      name,
      '--network',
      'none',
      '--stop-timeout',
      '60',
      ...flag(
        'env',
        Object.entries(environment).map(([key, value]) => `${key}=${value.replace(/^\$\{.*\}$/, 'sesame')}`)
      ),
      '--volume',
      `${image}-${home}:/var/lib/troupe`,
      ...(read_only ? ['--read-only'] : []),
      ...flag('tmpfs', tmpfs),
      ...flag('cap-drop', cap_drop),
      ...flag('security-opt', security_opt),
      '--health-interval',
      '1s',
      ...more,
      image,
      ...command
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
  const inside = (name: string, script: string) => docker('exec', name, 'sh', '-c', script)

  it('it runs as a user that is not root, names its volume, and has a health check, without curl', async () => {
    const { Config } = JSON.parse(await docker('inspect', '--format', '{{json .}}', image))
    expect(Config.User).to.equal('1000:0')
    expect(Config.Volumes).to.deep.equal({ '/var/lib/troupe': {} })
    expect(Config.ExposedPorts).to.deep.equal({ '8080/tcp': {} })
    expect(Config.Healthcheck.Test.slice(0, 2)).to.deep.equal(['CMD', 'node'])
    expect(Config.Entrypoint[0], 'process 1').to.equal('tini')
  })

  it('with a read-only root and no capability it serves, and runs a workflow; its home outlives it; doctor finds nothing', async () => {
    const first = `${image}-troupe`
    await healthy(first)
    await inside(first, `printf 'steps: [{command: "touch /tmp/t && id -u", output: UID}]' > dags/who.yaml`)
    expect(await inside(first, 'troupe start who')).to.equal('cmd_1 | 1000')
    expect(await inside(first, 'troupe doctor | tail -1')).to.equal('nothing is wrong')
    expect(await inside(first, 'touch /usr/local/x 2>&1 || true')).to.contain('Read-only file system')
    await docker('stop', first)
    expect(await docker('inspect', '--format', '{{.State.ExitCode}}', first), 'it ended by itself').to.equal('0')
    const second = await started('home')
    await healthy(second)
    expect(await inside(second, 'troupe status who')).to.match(/cmd_1 {2}succeeded/)
    expect(await inside(second, 'troupe --version')).to.match(/^\d+\.\d+\.\d+/)
    await docker('stop', second)
  })

  /** The proxy before a container may take a connection that nothing answers yet. */
  const asked = async (path: string, token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    return (await fetch(address + path, { headers, signal: AbortSignal.timeout(5_000) })).status
  }

  itLong(
    'without compose: a container of the command that is shown answers at its port, for who has the token',
    async () => {
      const { code, out } = await shell.paste(RUN)
      expect(code, out).to.equal(0)
      await eventually(
        'its server',
        async () => (await asked('/api/v2/health/ready').catch(() => 0)) === 200 || undefined
      )
      expect([await asked('/api/v2/dags'), await asked('/api/v2/dags', 'sesame')]).to.deep.equal([401, 200])
      const looked = await shell.paste(LOOK)
      expect(looked.code, looked.out).to.equal(0)
      await docker('rm', '--force', `${image}-page`)
    }
  )

  itLong('the commands of the README build it and have a server answer, until they are interrupted', async () => {
    const ending = new AbortController()
    const pasted = shell.paste(blockWith('README.md', 'sh', 'docker build'), { cwd: PROJECT, ending: ending.signal })
    await eventually(
      'its server',
      async () => (await asked('/api/v2/health/ready').catch(() => 0)) === 200 || undefined
    )
    const [name = ''] = (await docker('ps', '--quiet', '--filter', `ancestor=${image}`, '--latest')).split('\n')
    made.add(name)
    expect(await asked('/api/v2/dags', 'sesame')).to.equal(200)
    ending.abort()
    await pasted
    await docker('wait', name)
  })

  itLong('an image of your own, made of the lines that are shown, runs as the same user', async () => {
    const [lines = ''] = blocksOf('docs/operating/container.md', 'dockerfile')
    const folder = temporaryFolder()
    // No mirror of Debian is reached from here: what is installed is a package that is there already.
    const here = lines.replace(/^FROM troupe$/m, `FROM ${image}`).replace(' git ', ' tini ')
    writeFileSync(join(folder, 'Dockerfile'), here)
    images.unshift(`${image}-own`)
    await docker('build', '--network', 'none', '--tag', `${image}-own`, folder)
    expect(await docker('run', '--rm', '--entrypoint', 'id', `${image}-own`)).to.match(
      /^uid=1000\(troupe\) gid=0\(root\)/
    )
  })

  it('process 1 collects what steps have left behind, and SIGTERM ends it in time while a step is at work', async () => {
    const name = await started('left')
    await healthy(name)
    await inside(
      name,
      `printf 'steps: [{command: "sh -c \\"(sleep 0.2) & (sleep 0.3) &\\""}]' > dags/leave.yaml; printf 'steps: [{command: sleep 1000}]' > dags/long.yaml`
    )
    await inside(name, 'troupe start leave')
    await eventually('no process of the step', async () =>
      (await inside(name, 'cat /proc/[0-9]*/stat 2>/dev/null || true')).includes('(sleep)') ? undefined : true
    )
    await eventually('no process that nobody collects', async () =>
      (await inside(name, `cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z ' || true`)) === '0' ? true : undefined
    )
    await inside(name, 'troupe enqueue long')
    await eventually(
      'the step',
      async () => (await inside(name, 'cat /proc/[0-9]*/stat 2>/dev/null || true')).includes('(sleep)') || undefined
    )
    await docker('stop', name)
    expect(await docker('inspect', '--format', '{{.State.ExitCode}}', name)).to.equal('0')
  })

  itLong('its user may have any number, as on OpenShift', async () => {
    const name = await started('any', ['--user', '1000680000:0'])
    await healthy(name)
    await inside(name, `printf 'steps: [{command: id -u}]' > dags/who.yaml`)
    expect(await inside(name, 'troupe start who')).to.equal('cmd_1 | 1000680000')
    expect(await inside(name, 'troupe doctor | tail -1')).to.equal('nothing is wrong')
  })

  itLong('a worker is healthy while its process is there; a server whose home is gone is not', async () => {
    const worker = await started('worker', [], ['worker', '--worker.coordinators', '127.0.0.1:50055'])
    await healthy(worker)
    const server = await started('server')
    await healthy(server)
    await inside(server, 'rm data/troupe.sock')
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
