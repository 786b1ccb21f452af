/** A job that runs as somebody else, or in a cgroup. Source: docs/operating/limits.md "Steps". */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { capturing } from '../../../src/executors/launcher/capture.ts'
import type { Launcher } from '../../../src/executors/launcher/launcher.ts'
import type { StepGroups } from '../../../src/executors/limits/step-groups.ts'
import { noSecrets } from '../../../src/masking/secrets.ts'
import { type Account, findAccount } from '../../../src/platform/account.ts'
import { describeRoot } from '../../support/engine/root-only.ts'
import { launcherBench, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'

const PATH = process.env.PATH ?? ''

describeRoot('launcher › other users', () => {
  const { launched, jobOf, launch } = launcherBench()
  const nobody = () => findAccount('nobody', PATH) as Account // every system has one

  it('it has the ids of the user, all of them, and no rights left to go back', async () => {
    const account = { ...nobody(), groups: [65_534, 4, 20] }
    const { stdout, exitCode } = await launched({
      argv: sh(
        'id -u; id -g; id -G; grep -E "^(Uid|Gid|CapPrm|CapEff|CapInh)" /proc/self/status; cat /proc/1/environ || echo refused'
      ),
      account,
      cwd: '/'
    })
    expect(exitCode).to.equal(0)
    const none = ['CapInh', 'CapPrm', 'CapEff'].map((name) => `${name}:\t0000000000000000`)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ').sort().join(' '))
    ).to.deep.equal([
      '65534',
      '65534',
      '20 4 65534',
      ...['Uid', 'Gid'].map((name) => `${name}:\t65534\t65534\t65534\t65534`),
      ...none,
      'refused'
    ])
  })
  it('a user without other groups has none of ours', async () => {
    const { stdout } = await launched({ argv: sh('id -G'), account: { ...nobody(), groups: [] }, cwd: '/' })
    expect(stdout).to.equal('65534\n')
  })
  it('its logs are its own, so that it opens them again; quoting, exit codes and signals stay what they are', async () => {
    const job = jobOf({
      argv: sh(`echo one >>/dev/stderr; printf '%s|' "$0" "$@"; exit 7`).concat(`it's "a"`, '$b', ''),
      account: nobody(),
      cwd: '/'
    })
    const { ended } = launch(job)
    expect(await ended).to.include({ exitCode: 7, signaled: false })
    expect([readFileSync(job.stdout, 'utf8'), readFileSync(job.stderr, 'utf8')]).to.deep.equal([
      `it's "a"|$b||`,
      'one\n'
    ])
    expect(statSync(job.stdout)).to.include({ uid: 65_534, gid: 65_534 })
    expect(statSync(job.stdout).mode & 0o777).to.equal(0o600)
    expect(await launched({ argv: sh('kill -9 $$'), account: nobody(), cwd: '/' })).to.include({
      exitCode: 137,
      signaled: true
    })
  })
  it('it enters its folder as that user, and has the variables that it was given alone', async () => {
    const closed = temporaryFolder() // of root alone
    const { exitCode, stderr } = await launched({ argv: ['pwd'], account: nobody(), cwd: closed })
    expect([exitCode, stderr]).to.deep.equal([1, `the working directory ${closed} cannot be entered\n`])
    chmodSync(closed, 0o755)
    const env = { PATH, HOME: '/x', 'odd name': 'o', PWD: closed }
    const { stdout } = await launched({ argv: ['env'], account: nobody(), cwd: closed, env })
    const found = stdout
      .trim()
      .split('\n')
      .filter((line) => !/^(_|SHLVL)=/.test(line))
      .sort()
    expect(found).to.deep.equal(
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .sort()
    )
  })
  it('a copy is written as that user: where it may not write, the step fails by name', async () => {
    const open = temporaryFolder()
    chmodSync(open, 0o777)
    const copies = { stdout: join(open, 'copy') }
    const good = await launched({ argv: ['echo', 'hi'], account: nobody(), cwd: '/', copies })
    expect([good.exitCode, good.stdout, readFileSync(copies.stdout, 'utf8')]).to.deep.equal([0, 'hi\n', 'hi\n'])
    expect(statSync(copies.stdout).uid).to.equal(65_534)
    const refused = join(temporaryFolder(), 'copy')
    const bad = await launched({ argv: ['echo', 'hi'], account: nobody(), cwd: '/', copies: { stdout: refused } })
    expect([bad.exitCode, bad.stdout, existsSync(refused)]).to.deep.equal([74, 'hi\n', false])
  })
  it('masked output is masked, and it can still open its streams again', async () => {
    const job = jobOf({
      argv: sh('echo s3cr3t-value; echo s3cr3t-value >/dev/stderr'),
      account: nobody(),
      cwd: '/',
      masking: { values: { S: 's3cr3t-value' } }
    })
    expect(await launch(job).ended).to.include({ exitCode: 0 })
    expect([readFileSync(job.stdout, 'utf8'), readFileSync(job.stderr, 'utf8')]).to.deep.equal([
      '*******\n',
      '*******\n'
    ])
  })
})

describe('launcher › cgroups', () => {
  const { launched, launch } = launcherBench()

  it('a job writes itself into its group before it begins', async () => {
    const cgroup = temporaryFolder()
    writeFileSync(join(cgroup, 'cgroup.procs'), '')
    const { exitCode, stdout } = await launched({ argv: sh(`cat ${cgroup}/cgroup.procs`), cgroup })
    expect([exitCode, stdout.trim()]).to.deep.equal([0, '0'])
  })
  it('a command whose output is wanted does so, too, where it is limited; its cause says which limit stood in its way', async () => {
    const cgroup = temporaryFolder()
    writeFileSync(join(cgroup, 'cgroup.procs'), '')
    const made: string[] = []
    const groups: Pick<StepGroups, 'make' | 'over'> = {
      make: (state) => {
        made.push(state)
        return cgroup
      },
      over: (state, end) => (end.exitCode !== 0 && made.includes(state) ? { ...end, limit: 'too many' } : end)
    }
    const capture = capturing({ launch } as Launcher, temporaryFolder(), groups)
    const common = { cwd: '/', env: { PATH }, secrets: noSecrets }
    const limited = { ...common, limits: { pids: 5 } }
    expect((await capture({ ...limited, argv: sh(`cat ${cgroup}/cgroup.procs`) })).stdout.trim()).to.equal('0')
    expect((await capture({ ...limited, argv: sh('exit 2') })).cause).to.equal('exit status 2: too many')
    expect((await capture({ ...common, argv: sh('exit 2') })).cause, 'one that is not').to.equal('exit status 2')
    expect(made).to.have.length(2)
  })
  it('where it cannot, it does not begin, and its log says why', async () => {
    const cgroup = join(temporaryFolder(), 'gone')
    const { exitCode, stdout, stderr } = await launched({ argv: ['echo', 'begun'], cgroup })
    expect([exitCode, stdout]).to.deep.equal([126, ''])
    expect(stderr).to.include(`the cgroup ${cgroup} cannot be entered`)
  })
})
