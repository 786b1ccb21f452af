/** The launcher in odd places: paths of any text, disks that are full or execute nothing, an engine as process 1. Source: reliability P6, P22. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { CLAIMED, NO_LOG } from '../../../src/executors/launcher/job.ts'
import { findAccount } from '../../../src/platform/account.ts'
import { textOf } from '../../support/engine/live.ts'
import { launcherBench, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'

const ODD = ['with blank', `it's "odd"`, 'new\nline', '-dash', '$HOME `x`', '* ? [a]', 'ä 😀', '%s\\n']
const ONE = fileURLToPath(new URL('../../support/executors/process-one.js', import.meta.url))

describe('launcher › odd places', function () {
  this.timeout(60_000)
  const { folder, open, jobOf, launch, outcome } = launcherBench()
  /** A small disk of its own; undefined: not allowed here. */
  const mounted: string[] = []
  function disk(options: string): string | undefined {
    const place = temporaryFolder()
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', place]).status !== 0) return undefined
    mounted.push(place)
    return place
  }
  after(() => {
    for (const place of mounted) execFileSync('umount', ['--lazy', place])
  })

  for (const odd of ODD)
    it(`its folder, the working directory, logs, copies and the record below ${JSON.stringify(odd)}`, async () => {
      const place = join(temporaryFolder(), odd)
      mkdirSync(place)
      const other = open({ folder: join(place, 'all', 'own') })
      try {
        const [stdout, stderr, state] = ['out', 'err', 'state'].map((name) => join(place, `${odd} ${name}`)) as [
          string,
          string,
          string
        ]
        const files = { cwd: place, stdout, stderr, state }
        const job = jobOf({
          argv: sh('pwd -P; echo err >&2; exit 3'),
          ...files,
          copies: { stdout: join(place, `${odd} copy`) }
        })
        expect(await outcome(job, other.launch(job))).to.deep.equal({
          exitCode: 3,
          signaled: false,
          stdout: `${place}\n`,
          stderr: 'err\n'
        })
        expect(textOf(join(place, `${odd} copy`))).to.equal(`${place}\n`)
      } finally {
        await other.close()
      }
    })

  it('a full disk for records: the job is refused, and begins when there is room', async function () {
    const full = disk('size=16k')
    if (!full) this.skip()
    const fill = join(full, 'fill')
    expect(() => writeFileSync(fill, Buffer.alloc(65_536))).to.throw('ENOSPC')
    const refused = jobOf({ argv: sh('echo no'), state: join(full, 'a.state') })
    expect(await launch(refused).ended).to.include({ exitCode: CLAIMED })
    expect(textOf(refused.stdout)).to.equal('')
    rmSync(fill)
    const next = jobOf({ argv: sh('exit 3'), state: join(full, 'b.state') })
    expect(await launch(next).ended).to.include({ exitCode: 3 })
  })

  it('no room for logs: the step is not begun; a full log costs output, not the exit code', async function () {
    const full = disk('size=16k,nr_inodes=3')
    if (!full) this.skip()
    writeFileSync(join(full, 'a'), '')
    writeFileSync(join(full, 'log'), 'x')
    expect(() => writeFileSync(join(full, 'a'), Buffer.alloc(65_536))).to.throw('ENOSPC')
    const none = jobOf({ argv: sh(`touch ${folder}/begun`), stdout: join(full, 'none') })
    expect((await launch(none).ended).exitCode).to.equal(NO_LOG)
    expect(readdirSync(folder)).to.not.include('begun')
    const some = jobOf({ argv: sh('trap "" PIPE; seq 5000 2>/dev/null; exit 5'), stdout: join(full, 'log') })
    expect(await launch(some).ended).to.include({ exitCode: 5 })
  })

  it('a folder of PATH that its user may not look into is passed over', async () => {
    const closed = temporaryFolder()
    mkdirSync(join(closed, 'bin'))
    chmodSync(closed, 0)
    const account = process.getuid?.() === 0 ? findAccount('nobody', process.env.PATH ?? '') : undefined
    const asked = { env: { PATH: `${closed}/bin:${process.env.PATH}` }, cwd: '/', ...(account ? { account } : {}) }
    const job = jobOf({ argv: ['echo', 'found'], ...asked })
    const found = await outcome(job, launch(job))
    chmodSync(closed, 0o700)
    expect(found).to.include({ exitCode: 0, stdout: 'found\n' })
  })
  it('its folder on a disk that executes nothing: steps run', async function () {
    const place = disk('noexec,mode=0700')
    if (!place) this.skip()
    const other = open({ folder: join(place, 'own') })
    try {
      expect(await other.launch(jobOf({ argv: sh('exit 3') })).ended).to.include({ exitCode: 3 })
    } finally {
      await other.close()
    }
  })

  it('its engine is process 1: steps end as they do, and leave no zombie', function () {
    const apart = ['--pid', '--fork', '--mount-proc', '--kill-child']
    if (spawnSync('unshare', [...apart, 'true']).status !== 0) this.skip() // no namespaces here
    const command = [...apart, process.execPath, ONE, temporaryFolder()]
    const { stdout, stderr } = spawnSync('unshare', command, { encoding: 'utf8', timeout: 30_000 })
    expect(stderr).to.equal('')
    expect(JSON.parse(stdout)).to.deep.equal({ pid: 1, codes: [3, 143, 0], zombies: 0 })
  })
})
