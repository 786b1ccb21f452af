/** The unit for systemd: checked by `systemd-analyze`, and run by a real systemd in a container. Source: docs/operating/systemd.md. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { blocksOf } from '../../support/docs/blocks.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { packagesWith } from '../../support/images/debian-image.ts'
import { CHECKOUT, SYSTEMD_FLAGS, systemdImage } from '../../support/images/systemd-image.ts'
import { PROJECT } from '../../support/project.ts'
import { service } from '../../support/services.ts'
import { eventually } from '../../support/waiting.ts'

const run = promisify(execFile)
const UNIT = join(PROJECT, 'docs', 'operating', 'troupe.service')
const PACKAGES = ['apt', 'ca-certificates', 'libstdc++6', 'nats-server', 'passwd', 'systemd', 'systemd-sysv', 'tini']
const BUILDING_MS = 480_000
const [INSTALL = '', COMMAND = ''] = blocksOf('docs/operating/systemd.md', 'sh')

describe('systemd › the unit', function () {
  this.timeout(60_000)
  before(function () {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) this.skip()
  })
  /** Where the program is there. */
  function unit(): string {
    const file = join(temporaryFolder(), 'troupe.service')
    writeFileSync(file, readFileSync(UNIT, 'utf8').replace('/usr/local/bin/troupe', process.execPath))
    return file
  }

  it('systemd knows every line of it', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit()], { encoding: 'utf8' })
    expect([status, stderr.split('\n').filter((line) => line.includes('troupe.service'))]).to.deep.equal([0, []])
  })

  it('is exposed by no more than what steps need', () => {
    const said = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit()], {
      encoding: 'utf8'
    })
    expect(Number(/exposure level for \S+: ([\d.]+)/.exec(said)?.[1])).to.be.at.most(3.5)
  })
})

describe('systemd › a server that it runs', function () {
  this.timeout(180_000)
  const engine = service('docker')
  const name = `troupe-systemd-${process.pid}`
  const docker = async (...words: string[]) => (await run('docker', ['-H', engine.address, ...words])).stdout.trim()
  const shell = (script: string) => docker('exec', name, 'sh', '-c', script)
  /** A command of the user that the server runs as. */
  const troupe = async (...words: string[]) => {
    const user = ['exec', '--user', 'troupe', '--env', 'ENGINE_HOME=/var/lib/troupe', name]
    const { stdout, stderr } = await run('docker', ['-H', engine.address, ...user, 'troupe', ...words])
    return stdout + stderr
  }
  const HEALTH = `node -e 'fetch("http://127.0.0.1:8080/api/v2/health/ready").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))'`
  const answers = () =>
    shell(HEALTH).then(
      () => true as const,
      () => undefined
    )
  let images: string[] = []

  before(async function () {
    this.timeout(BUILDING_MS)
    const packages = packagesWith(PACKAGES)
    if (!packages) return this.skip()
    images = await systemdImage(['docker', '-H', engine.address], name, packages)
    await docker('run', '--detach', '--name', name, '--network', 'none', ...SYSTEMD_FLAGS, name)
    const isUp = await eventually('systemd', async () => {
      const state = await docker('inspect', '--format', '{{.State.Running}}', name)
      if (state !== 'true') return false
      const said = await shell('systemctl is-system-running 2>/dev/null || true').catch(() => '')
      return /^(running|degraded)$/.test(said) || undefined
    }).catch(() => false)
    if (!isUp) return this.skip() // such as in a container that may not mount
    await docker('exec', '--workdir', CHECKOUT, name, 'sh', '-ec', INSTALL)
    await eventually('a server', answers)
  })
  after(async () => {
    await docker('rm', '--force', name).catch(() => {})
    for (const image of images) await docker('rmi', '--force', image).catch(() => {})
  })

  const pid = async () => await shell('systemctl show --property=MainPID --value troupe')
  const status = async () => await troupe('status', 'long', '--json')
  const step = () => shell(`cat /var/lib/troupe/step`)
  const comes = (main: string) =>
    eventually('another server', async () => {
      const now = await pid()
      if (now === main || now === '0') return undefined
      return (await answers()) && now
    })

  it('a restart, a crash and a stop of the unit leave steps at work, and they end as they were meant', async () => {
    const text = `steps: [{command: "sh -c 'echo $$ >> /var/lib/troupe/step; until [ -e /var/lib/troupe/go ]; do sleep 0.1; done'"}, {command: echo done}]`
    await shell(`cat > /var/lib/troupe/dags/long.yaml <<'END'\n${text}\nEND\n`)
    await troupe('enqueue', 'long')
    await eventually('the step', async () => (await shell('cat /var/lib/troupe/step 2>/dev/null || true')) || undefined)
    const at = await step()
    let main = await pid()
    await shell('systemctl restart troupe')
    main = await comes(main)
    await shell(`kill -9 ${main}`)
    main = await comes(main)
    await shell('systemctl stop troupe')
    expect(await shell(`cat /proc/${at}/comm`), 'it is at work without a server').to.equal('sh')
    await shell('systemctl start troupe')
    await comes('0')
    expect(await status()).to.contain('"running"')
    await shell('touch /var/lib/troupe/go')
    await eventually('the end', async () => (await status()).includes('"succeeded"') || undefined)
    expect(await step(), 'begun once').to.equal(at)
  })

  it('commands run as its user, as the page has them', async () => {
    expect(await shell(COMMAND)).to.match(/ succeeded +long /)
    expect(await shell('stat --format "%U %a" /var/lib/troupe')).to.equal('troupe 700')
  })

  it('a drop-in with the lines that docs/operating/limits.md shows gives it the cgroup', async () => {
    const delegated = () => shell('systemctl daemon-reload; systemctl show --property=Delegate --value troupe')
    expect(await delegated()).to.equal('no')
    const [lines = ''] = blocksOf('docs/operating/limits.md', 'ini')
    // Where `systemctl edit troupe` puts them.
    const folder = '/etc/systemd/system/troupe.service.d'
    await shell(`mkdir ${folder}; cat > ${folder}/override.conf <<'END'\n${lines}END\n`)
    expect(await delegated()).to.equal('yes')
  })

  it('what it shuts off is shut off for steps, too', async () => {
    const text = `steps: [{command: "sh -c 'touch /usr/x; ls /home; grep -E \\"NoNewPrivs|Seccomp:|CapBnd\\" /proc/self/status'", continueOn: {failure: true}}]`
    await shell(`cat > /var/lib/troupe/dags/shut.yaml <<'END'\n${text}\nEND\n`)
    const said = await troupe('start', 'shut')
    expect(said).to.contain('Read-only file system').and.to.contain("cannot open directory '/home'")
    expect(said)
      .to.match(/NoNewPrivs:\s+1/)
      .and.to.match(/Seccomp:\s+2/)
      .and.to.match(/CapBnd:\s+0{16}/)
  })
})
