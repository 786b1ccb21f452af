/**
 * A home that earlier releases have served, with work in it: this release goes on with it, and earlier ones then leave it alone. The
 * programs of those releases are the real ones (fixtures/releases). Source: docs/operating/upgrade.md, reliability T14.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { STORE_VERSION } from '../../../src/store/store-version.ts'
import { killHolders } from '../../faults/engine-process.ts'
import { openPlacing } from '../../support/cli/placing.ts'
import { PROGRAM } from '../../support/cli/program.ts'
import { blocksOf } from '../../support/docs/blocks.ts'
import { shellIn } from '../../support/docs/pasting.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { onlyLast } from '../../support/long.ts'
import { needsNats } from '../../support/nats.ts'
import { newLife, OPEN, type Served } from '../../support/releases/life.ts'
import { installedRelease } from '../../support/releases/recorded-program.ts'
import { eventually } from '../../support/waiting.ts'

const [BACKUP = '', LOOK = '', DRAIN = '', RESTORE = ''] = blocksOf('docs/operating/upgrade.md', 'sh')

const statuses = async (server: Served) =>
  Object.fromEntries(
    await Promise.all(OPEN.map(async (name) => [name, (await server.run(name))?.statusLabel] as const))
  )
const ended = (server: Served, name: string, id = 'r') =>
  eventually(`the end of ${name}`, async () => {
    const run = await server.run(name, id)
    return run && !['running', 'queued', 'not_started'].includes(run.statusLabel) ? run : undefined
  })
const RUNNING = Object.fromEntries(OPEN.map((name) => [name, 'running']))
const once = (marks: string[]) => marks.filter((mark) => mark !== 'retrying')

describe('upgrade › running steps survive the change of version', function () {
  this.timeout(180_000)

  it('from 0.4.0 over 0.5.0 and 0.6.0 to this release, back to 0.6.0 and on: no step is begun twice, none is lost, and all ends as it was meant', async () => {
    const [first, second, third] = await Promise.all([
      installedRelease('0.4.0'),
      installedRelease('0.5.0'),
      installedRelease('0.6.0')
    ])
    const life = newLife()
    let server = await life.serve(first)
    await life.begin(server)
    const begun = once(life.marks())
    expect(begun).to.deep.equal(['calling', 'masked', 'working'])
    await server.end('SIGTERM')
    server = await life.serve(second)
    expect(await statuses(server)).to.deep.equal(RUNNING)
    await server.end('SIGKILL')
    for (const [program, signal] of [
      [third, 'SIGTERM'],
      [PROGRAM, 'SIGKILL'],
      [third, 'SIGTERM']
    ] as const) {
      server = await life.serve(program)
      expect(await statuses(server)).to.deep.equal(RUNNING)
      expect((await server.run('working', 'q')).statusLabel).to.equal('queued')
      if (signal !== 'SIGTERM') expect(once(life.marks()), 'nothing is begun again').to.deep.equal(begun)
      await server.end(signal)
    }
    server = await life.serve(PROGRAM)
    life.go()
    for (const name of OPEN) {
      const run = await ended(server, name)
      expect([run.statusLabel, ...run.nodes.map((node) => node.error ?? '')].join(' ').trim(), name).to.equal(
        'succeeded'
      )
    }
    expect((await ended(server, 'working', 'q')).statusLabel).to.equal('succeeded')
    const [node] = (await server.run('masked')).nodes
    expect(readFileSync(node?.stdout ?? '', 'utf8'), 'masked from beginning to end').to.equal(
      'before *******\nbehind *******\n'
    )
    expect(once(life.marks())).to.deep.equal(
      [...begun, 'working', 'after early late', 'after early late', 'exit', 'exit'].sort()
    )
    await server.end('SIGTERM')
    const examined = await life.command(PROGRAM, 'doctor', '--json')
    expect(
      JSON.parse(examined.out).findings.filter(({ severity }: { severity: string }) => severity === 'error')
    ).to.deep.equal([])
  })
})

describe('upgrade › steps that shells of an earlier release hold', function () {
  this.timeout(120_000)

  it('live on when the shells are killed, too; how they end nobody knows, and each run says so', async () => {
    const life = newLife()
    const old = await life.serve(await installedRelease('0.5.0'))
    await life.begin(old)
    await old.end('SIGKILL')
    expect(killHolders(life.home)).to.be.greaterThan(0)
    const server = await life.serve(PROGRAM)
    expect(await statuses(server)).to.include({ working: 'running', masked: 'running', calling: 'running' })
    life.go()
    for (const name of ['working', 'masked']) {
      const { statusLabel, nodes } = await ended(server, name)
      expect([statusLabel, nodes[0]?.error], name).to.deep.equal(['failed', 'interrupted: outcome unknown'])
    }
    expect((await ended(server, 'calling')).statusLabel).to.equal('failed')
    await server.end('SIGTERM')
  })
})

describe('upgrade › the way back', function () {
  this.timeout(120_000)

  for (const release of onlyLast(['0.4.0', '0.5.0']))
    it(`${release} refuses a home of this release and changes nothing; with this release a backup from before brings it back`, async () => {
      const old = await installedRelease(release)
      const life = newLife()
      const shell = shellIn(life.home, [['/var/backups', temporaryFolder()]])
      const pasted = async (program: string, block: string) => {
        shell.install('troupe', `exec '${process.execPath}' '${program}' "$@"`)
        return shell.paste(block)
      }
      let server = await life.serve(old)
      await life.begin(server)
      const backup = await pasted(old, BACKUP)
      expect(backup.code, backup.out).to.equal(0)
      const looked = await pasted(PROGRAM, LOOK)
      // What 0.4.0 has written can be read by others, of which doctor warns.
      expect(looked.code, looked.out).to.equal(release === '0.4.0' ? 3 : 0)
      expect(looked.out)
        .to.match(/ upgrade +the home is of an older release \(store version 4\)/)
        .and.match(/ backup +the backup \S*\/before-upgrade, taken by Troupe 0\.\d\.0/)
      await server.end('SIGTERM')

      server = await life.serve(PROGRAM)
      life.go()
      for (const name of OPEN) await ended(server, name)
      await server.end('SIGTERM')
      const path = join(life.home, 'data', 'troupe.mdb')
      const before = readFileSync(path)
      const refused = await life.serve(old).then(
        () => 'it serves',
        (error: Error) => error.message
      )
      expect(refused).to.contain(
        `the store was written by a newer release (version ${STORE_VERSION}, this one reads 4): update Troupe`
      )
      expect(readFileSync(path).equals(before)).to.equal(true)

      const restored = await pasted(PROGRAM, RESTORE)
      expect(restored.code, restored.out).to.equal(0)
      server = await life.serve(old)
      for (const name of OPEN)
        expect((await ended(server, name)).statusLabel, `${name}, as it was then`).to.be.a('string')
      await server.end('SIGTERM')
    })
})

describe('upgrade › workers', function () {
  this.timeout(60_000)
  needsNats()

  it('one that is drained as the page says leaves, and the next one in its home takes runs again', async () => {
    const placing = await openPlacing()
    try {
      const old = placing.worker('gpu-1')
      await placing.healthy('gpu-1')
      const drained = await shellIn(placing.home).paste(DRAIN)
      expect([drained.code, await old.code], drained.out).to.deep.equal([0, 0])
      placing.worker('gpu-1')
      await placing.healthy('gpu-1')
    } finally {
      await placing.close()
    }
  })
})
