/** No disk space for a new store, or for the lock file of an old one: an error, not the end of the process. Source: reliability P6, P22. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { PROGRAM } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'

/** Shell commands with their own file systems, which are removed when the shell ends. */
const apart = (script: string) => spawnSync('unshare', ['-rm', 'sh', '-ec', script], { encoding: 'utf8' })

describe('store › a full disk', () => {
  /** `troupe` with a home on a small disk; `fill` makes that full. */
  function onSmallDisk(kib: number, fill: string, ...argv: string[]) {
    const folder = temporaryFolder()
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    writeFileSync(join(folder, 'a.yaml'), 'steps: [{command: echo hi}]\n')
    return apart(
      `mount -t tmpfs -o size=${kib}k tmpfs ${disk}; cd ${folder}; mkdir -p disk/h; ${fill}
      ENGINE_HOME=${disk}/h exec ${process.execPath} ${PROGRAM} ${argv.join(' ')}`
    )
  }
  before(function () {
    if (apart(`mount -t tmpfs tmpfs ${temporaryFolder()}`).status !== 0) this.skip()
  })

  it('a new home is refused when there is no disk space for it', () => {
    for (const [kib, fill] of [
      [64, ''],
      [1_024, 'cat /dev/zero >disk/fill 2>/dev/null || true']
    ] as const) {
      const { status, stderr } = onSmallDisk(kib, fill, 'enqueue', 'a.yaml')
      expect(status, stderr).to.equal(1)
      expect(stderr).to.match(
        /^Error: wanted 256 KiB of room for the store in \S+troupe\.mdb, found a full disk \(ENOSPC\); nothing .* make room.*\n$/
      )
    }
  })

  it('a home without its lock file is refused when there is no disk space for that', async () => {
    const home = temporaryFolder()
    await createEngine({ home }).then((engine) => engine.close())
    const fill = `cp -r ${home}/data disk/h/; rm disk/h/data/troupe.mdb-lock; cat /dev/zero >disk/fill 2>/dev/null || true;`
    const { status, stderr } = onSmallDisk(1_024, fill, 'queues')
    expect(status, stderr).to.equal(1)
    expect(stderr).to.match(/^Error: wanted 9 KiB of room/)
  })
})

describe('store › the lock file', () => {
  it('of a new home is completely on disk, and no temporary file is left', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home })
    const { size, blocks } = statSync(join(home, 'data', 'troupe.mdb-lock'))
    expect(blocks * 512).to.be.at.least(size)
    await engine.close()
    expect(readdirSync(join(home, 'data')).filter((name) => name.startsWith('troupe.mdb'))).to.have.members([
      'troupe.mdb',
      'troupe.mdb-lock'
    ])
  })
})
