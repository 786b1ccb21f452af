/** Logs wait for disk space. Source: reliability P6. */
import { expect } from 'chai'
import { openDiskSpace } from '../../../src/actors/pace/disk-space.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

const refusal = (code: string) => Object.assign(new Error(`${code}: refused`), { code })

describe('actors › disk space for logs', () => {
  /** A disk that refuses with `code` until it is fixed. */
  function fullDisk(code: string) {
    const clock = simulatedClock()
    const room = openDiskSpace(clock)
    const stopped = new AbortController()
    const disk = { code, asked: 0 }
    const work = room.take(() => {
      disk.asked++
      if (disk.code) throw refusal(disk.code)
      return 'written'
    }, stopped)
    const said = work.catch(({ message }: Error) => message)
    const goOn = async () => {
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
      clock.goTo(clock.next() ?? clock.now())
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    }
    return { room, disk, said, stopped, goOn, clock }
  }

  for (const code of ['ENOSPC', 'EDQUOT', 'EROFS'])
    it(`P6 runs stall and continue when space returns: ${code}`, async () => {
      const { room, disk, said, goOn } = fullDisk(code)
      await goOn()
      await goOn()
      expect(disk.asked).to.equal(3)
      expect(room.lacking).to.equal(`logs cannot be written: ${code}: refused`)
      disk.code = ''
      await goOn()
      expect(await said).to.equal('written')
      expect(room.lacking).to.equal(undefined)
    })

  it('a write that is abandoned waits no longer, and is not done when there is space after all', async () => {
    const { room, disk, said, stopped, goOn, clock } = fullDisk('ENOSPC')
    await goOn()
    const { asked } = disk
    disk.code = ''
    stopped.abort()
    expect(await said).to.equal('ENOSPC: refused')
    expect(disk.asked).to.equal(asked)
    expect(room.lacking).to.equal(undefined)
    expect(clock.next()).to.equal(undefined)
  })

  it('what is refused for another reason is not waited for', async () => {
    const { room, disk, said } = fullDisk('EACCES')
    expect(await said).to.equal('EACCES: refused')
    expect(disk.asked).to.equal(1)
    expect(room.lacking).to.equal(undefined)
  })
})
