/** One live process per folder. Source: distribution 5; D1761. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { TroupeError } from '../../../src/errors.ts'
import { bootId, identityOf } from '../../../src/platform/process-identity.ts'
import { heldBy, takeLockFile } from '../../../src/store/disk/lock-file.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { ofAll } from '../../support/long.ts'
import type { Race } from '../../support/store/lock-racer.ts'

const held = (pid: number) => new TroupeError('service_unavailable', `held by ${pid}`)
/** The lock of a process that has ended. */
const left = (path: string) =>
  writeFileSync(path, JSON.stringify({ pid: process.pid, startTicks: '1', bootId: bootId() }), { mode: 0o600 })

describe('lock of a folder', () => {
  it('names a live process, and is refused to others until it is released', () => {
    const path = join(temporaryFolder(), 'owner')
    const release = takeLockFile(path, held)
    expect(heldBy(path)).to.equal(process.pid)
    expect(() => takeLockFile(path, held)).to.throw(TroupeError, `held by ${process.pid}`)
    release()
    expect([existsSync(path), heldBy(path)]).to.deep.equal([false, undefined])
  })
  for (const [what, write] of [
    ['of a process that has ended', left],
    ['that says nothing', (path: string) => writeFileSync(path, '')]
  ] as const)
    it(`one ${what} is replaced, and nothing is left beside it`, () => {
      const folder = temporaryFolder()
      const path = join(folder, 'owner')
      write(path)
      expect(heldBy(path)).to.equal(undefined)
      const release = takeLockFile(path, held)
      expect(JSON.parse(readFileSync(path, 'utf8'))).to.deep.equal(identityOf(process.pid))
      expect(readdirSync(folder)).to.deep.equal(['owner'])
      release()
      expect(readdirSync(folder)).to.deep.equal([])
    })
  it('of several that find it left in the same moment, one has it and all others are refused', async function () {
    this.timeout(60_000)
    const folder = temporaryFolder()
    const paths = Array.from({ length: ofAll(300, 5_000) }, (_, round) => join(folder, `lock-${round}`))
    for (const path of paths) left(path)
    const racers = 6
    const workerData: Race = { paths, come: new SharedArrayBuffer(4 * paths.length), racers }
    const racer = new URL('../../support/store/lock-racer.js', import.meta.url)
    const said = await Promise.all(
      Array.from(
        { length: racers },
        () =>
          new Promise<string[]>((resolve, reject) =>
            new Worker(racer, { workerData }).once('message', resolve).once('error', reject)
          )
      )
    )
    const wrong = [...paths.keys()].flatMap((round) => {
      const counted = said
        .map((one) => one[round])
        .sort()
        .join(' ')
      return counted === 'refused refused refused refused refused taken' ? [] : [counted]
    })
    expect(wrong).to.deep.equal([])
  })
})
