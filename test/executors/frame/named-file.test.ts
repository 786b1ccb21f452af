/** Files that definitions name: what is read, how much of it, and for how long. Source: reliability P17, R3; execution-semantics 2.3, 3.7, 14.4. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readNamed, withinLimits } from '../../../src/executors/frame/named-file.ts'
import { temporaryFolder } from '../../support/homes.ts'

const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    ({ message }: Error) => message
  )

describe('files that a definition names', () => {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  before(() => {
    writeFileSync(path('text'), 'as it is\n')
    writeFileSync(path('large'), '')
    truncateSync(path('large'), 1024 * 1024 + 1)
    mkdirSync(path('folder'))
    execFileSync('mkfifo', [path('pipe')])
    symlinkSync('/proc/self/environ', path('link'))
    symlinkSync('text', path('short'))
  })

  it('a regular file is read whole, by a link too; /dev/null holds nothing', async () => {
    expect(String(await readNamed(path('text')))).to.equal('as it is\n')
    expect(String(await readNamed(path('short')))).to.equal('as it is\n')
    expect(await readNamed('/dev/null')).to.have.length(0)
  })

  it('files of the kernel are none, whatever they say of themselves and whatever leads to them', async () => {
    for (const name of [
      '/proc/self/environ',
      '/proc/../proc/cmdline',
      '/sys/kernel/uevent_seqnum',
      '/dev/zero',
      path('link')
    ])
      expect(await failure(readNamed(name)), name).to.match(/^it is no file|^ENOENT/)
    expect(await failure(readNamed('/proc/self/environ'))).to.equal(
      'it is no file: nothing below /proc, /sys or /dev is one'
    )
  })

  it('a pipe and a folder are none, and a writer is not waited for', async () => {
    expect(await failure(readNamed(path('pipe')))).to.equal('it is no file')
    expect(await failure(readNamed(path('folder')))).to.match(/^EISDIR/)
  })

  it('a size is a limit', async () => {
    expect(await failure(readNamed(path('large')))).to.equal('wanted at most 1048576 bytes, found 1048577')
    expect(await failure(readNamed(path('text'), 4))).to.equal('wanted at most 4 bytes, found 9')
    expect(String(await readNamed(path('text'), 9))).to.equal('as it is\n')
  })

  it('two at a time; what does not come back is given up and keeps its place, so that threads are left for others', async () => {
    let free = () => {}
    const hung = () => new Promise<void>((resolve) => (free = resolve))
    const late = 'it could not be read within 0.02 s: does its file system answer?'
    expect(await failure(withinLimits(hung, 20))).to.equal(late)
    const freeFirst = free
    expect(await withinLimits(async () => 'read', 20)).to.equal('read')
    expect(await failure(withinLimits(hung, 20))).to.equal(late)
    const freeSecond = free
    let begun = false
    const third = async () => {
      begun = true
      return 'third'
    }
    expect(await failure(withinLimits(third, 20))).to.equal(late)
    expect(begun, 'it has never had its turn').to.equal(false)
    const waiting = withinLimits(third)
    freeFirst()
    freeSecond()
    expect(await waiting).to.equal('third')
    expect(String(await readNamed(path('text')))).to.equal('as it is\n')
  })
})
