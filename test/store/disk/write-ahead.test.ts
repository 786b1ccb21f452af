/** The write-ahead file: changes survive a crash of the process. Source: architecture 1, reliability P1, P5. */
import fs, { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Changes, noChanges } from '../../../src/store/changes.ts'
import { entriesIn, openWriteAhead } from '../../../src/store/disk/write-ahead.ts'
import { temporaryFolder } from '../../support/homes.ts'

const changes = (seq: number, padding = ''): Changes => ({
  ...noChanges(),
  journal: [
    { run: { name: 'a', dagRunId: 'r' }, seq, at: seq, actor: 'run/a/r', event: `e${padding}`, from: '', to: 'x' }
  ]
})
const seqs = (path: string) => entriesIn(path).map(({ journal }) => journal[0]?.seq)

describe('store › write-ahead file', () => {
  it('what was appended is found again, in order, maps and all', () => {
    const path = join(temporaryFolder(), 'write-ahead')
    const file = openWriteAhead(path)
    const second = changes(2)
    second.nodes.set('k', {
      key: ['a', 'r', 0],
      value: { record: { step: 's', status: 'running', retryCount: 0, doneCount: 0 } }
    })
    file.append(changes(1))
    file.append(second)
    expect(entriesIn(path)).to.deep.equal([changes(1), second])
    file.close()
  })

  it('what is in LMDB is not found again, nor bytes left over from an earlier use of the file', () => {
    const path = join(temporaryFolder(), 'write-ahead')
    const file = openWriteAhead(path)
    for (const seq of [1, 2, 3]) file.append(changes(seq))
    file.clear()
    expect(seqs(path)).to.deep.equal([])
    file.append(changes(4)) // as long as the first was: the second stands right behind it
    expect(seqs(path)).to.deep.equal([4])
    file.append(changes(5, 'x'.repeat(300_000)))
    file.clear()
    expect(readFileSync(path)).to.have.length(0)
    file.close()
  })

  it('an incomplete or damaged entry never had effects: it ends the list', () => {
    const path = join(temporaryFolder(), 'write-ahead')
    const file = openWriteAhead(path)
    file.append(changes(1))
    const one = readFileSync(path).length - 8
    file.append(changes(2))
    file.close()
    const whole = readFileSync(path)
    for (let cut = one; cut < whole.length - 8; cut++) {
      truncateSync(path, cut)
      expect(seqs(path), `cut at ${cut}`).to.deep.equal([1])
      writeFileSync(path, whole)
    }
    const damaged = Buffer.from(whole)
    damaged.writeUInt8((damaged.at(one + 20) ?? 0) ^ 1, one + 20)
    writeFileSync(path, damaged)
    expect(seqs(path)).to.deep.equal([1])
    appendFileSync(path, 'rubbish')
    expect(seqs(path)).to.deep.equal([1])
  })

  it('a home without one has nothing left over', () => {
    expect(entriesIn(join(temporaryFolder(), 'write-ahead'))).to.deep.equal([])
  })

  it('P6 a failed clear is retried before the next append, and nothing is written behind a broken header', () => {
    const path = join(temporaryFolder(), 'write-ahead')
    const file = openWriteAhead(path)
    file.append(changes(1))
    const refusal = refusingWrites(2)
    file.clear()
    expect(() => file.append(changes(2))).to.throw('ENOSPC')
    refusal.end()
    file.append(changes(3))
    expect(seqs(path)).to.deep.equal([3])
    file.close()
  })
})

/** Has the next `count` writes of this process fail. */
function refusingWrites(count: number): { end(): void } {
  const { writeSync } = fs
  let left = count
  const end = () => {
    fs.writeSync = writeSync
    syncBuiltinESMExports()
  }
  fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
    if (left-- > 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    return writeSync(...args)
  }) as typeof writeSync
  syncBuiltinESMExports()
  return { end }
}
