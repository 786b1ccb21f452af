/** Archives that want out, up, or everything: refused with code 12, and nothing is written outside. Source: execution-semantics 10.5.6, 10.5.8; reliability R16. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { LIMITS } from '../../../src/executors/archive/guard.ts'
import { archiveHere } from '../../support/executors/archives.ts'
import { type EvilEntry, tarOf, zipOf } from '../../support/executors/evil-archives.ts'
import { benchFor } from '../../support/executors/executions.ts'

describe('archive executor › evil archives (10.5.6)', () => {
  let limits = LIMITS
  const bench = benchFor((work) => archiveHere(work, limits))
  let count = 0
  beforeEach(() => {
    limits = LIMITS
  })
  const extract = async (bytes: Buffer, config = {}) => {
    const folder = join(bench.folder, `e${++count}`)
    const destination = join(folder, 'out')
    mkdirSync(destination, { recursive: true })
    const source = join(folder, 'archive')
    writeFileSync(source, bytes)
    const end = await bench.run({ words: ['extract'], config: { source, destination, ...config } })
    return { ...end, folder, destination }
  }

  const evil: Record<string, EvilEntry[]> = {
    'a path that climbs': [{ path: '../out-of-it', content: 'x' }],
    'a path that climbs in its middle': [{ path: 'a/../../out-of-it', content: 'x' }],
    'an absolute path': [{ path: '/tmp/troupe-evil', content: 'x' }],
    'an absolute link': [{ path: 'l', type: 'SymbolicLink', linkpath: '/etc' }],
    'a link that climbs': [{ path: 'a/l', type: 'SymbolicLink', linkpath: '../../x' }],
    'a link that climbs through another': [
      { path: 'a/b/c/l', type: 'SymbolicLink', linkpath: '../../..' },
      { path: 'm', type: 'SymbolicLink', linkpath: 'a/b/c/l/../out-of-it' }
    ],
    'a file through a link': [
      { path: 'l', type: 'SymbolicLink', linkpath: '.' },
      { path: 'l/x', content: 'x' }
    ],
    'a hard link to the outside': [{ path: 'h', type: 'Link', linkpath: '../archive' }],
    'a hard link to an absolute path': [{ path: 'h', type: 'Link', linkpath: '/etc/passwd' }],
    'a device': [{ path: 'null', type: 'CharacterDevice' }],
    'a pipe': [{ path: 'p', type: 'FIFO' }]
  }
  for (const [what, entries] of Object.entries(evil))
    it(`tar: ${what}, also with continueOnError and overwrite`, async () => {
      for (const config of [{}, { continueOnError: true, overwrite: true }]) {
        const { exitCode, err, folder } = await extract(tarOf(entries), config)
        expect([exitCode, err]).to.satisfy(([code, text]: [number, string]) => code === 12 && text.includes('refused'))
        expect(readdirSync(folder)).to.have.members(['archive', 'out'])
      }
      expect(existsSync('/tmp/troupe-evil')).to.equal(false)
    })
  const evilZips = {
    'a path that climbs': [{ path: '../x', content: 'x' }],
    'an absolute path': [{ path: '/tmp/troupe-evil', content: 'x' }],
    'a link to the outside': [{ path: 'l', content: '../../x', unixMode: 0o120777 }],
    'a device': [{ path: 'd', unixMode: 0o020666 }]
  }
  for (const [what, entries] of Object.entries(evilZips))
    it(`zip: ${what}`, async () => {
      const { exitCode, folder } = await extract(zipOf(entries))
      expect([exitCode, readdirSync(folder)]).to.deep.equal([12, ['archive', 'out']])
    })
  it('a hard link to a file that the archive did not bring is not made', async () => {
    const { exitCode, destination } = await extract(tarOf([{ path: 'h', type: 'Link', linkpath: 'there' }]))
    expect([exitCode, readdirSync(destination)]).to.deep.equal([6, []])
  })
  it('an existing link in the destination is neither followed nor written through', async () => {
    const folder = join(bench.folder, 'linked')
    mkdirSync(join(folder, 'out'), { recursive: true })
    mkdirSync(join(folder, 'elsewhere'))
    writeFileSync(join(folder, 'victim'), 'mine')
    symlinkSync('../elsewhere', join(folder, 'out', 'd'))
    symlinkSync('../victim', join(folder, 'out', 'f'))
    const write = async (entries: EvilEntry[]) => {
      writeFileSync(join(folder, 'x.tar'), tarOf(entries))
      const config = { source: join(folder, 'x.tar'), destination: join(folder, 'out'), overwrite: true }
      return (await bench.run({ words: ['extract'], config })).exitCode
    }
    expect(await write([{ path: 'd/x', content: 'x' }])).to.equal(12)
    expect(await write([{ path: 'f', content: 'new' }])).to.equal(0)
    expect(readdirSync(join(folder, 'elsewhere'))).to.deep.equal([])
    expect(readFileSync(join(folder, 'victim'), 'utf8')).to.equal('mine')
    expect(lstatSync(join(folder, 'out', 'f')).isFile()).to.equal(true)
  })
  it('setuid, setgid and sticky bits are dropped', async () => {
    const { destination } = await extract(tarOf([{ path: 'f', content: 'x', mode: 0o6755 }]))
    expect(lstatSync(join(destination, 'f')).mode & 0o7777).to.equal(0o755)
  })

  it('bombs: too many entries', async () => {
    limits = { ...LIMITS, entries: 3 }
    const entries = ['a', 'b', 'c', 'd'].map((path) => ({ path }))
    for (const bytes of [tarOf(entries), zipOf(entries)]) expect((await extract(bytes)).exitCode).to.equal(12)
  })
  it('bombs: too many bytes', async () => {
    limits = { ...LIMITS, bytes: 50_000 }
    const entries = [{ path: 'a', content: 'x'.repeat(60_000) }]
    for (const bytes of [tarOf(entries), zipOf(entries), gzipSync('x'.repeat(60_000))]) {
      const { exitCode, err, destination } = await extract(bytes)
      expect([exitCode, readdirSync(destination)], err).to.deep.equal([12, []])
    }
  })
  it('bombs: unpacks to too many times its size; honest repetition below the threshold passes', async () => {
    const bytes = gzipSync(Buffer.alloc(20_000_000))
    limits = { ...LIMITS, ratio: 500, ratioFrom: 1_000_000 }
    expect((await extract(bytes)).exitCode).to.equal(12)
    limits = { ...LIMITS, ratio: 500 }
    expect((await extract(bytes)).exitCode).to.equal(0)
  })

  it('10.5.8: a changed byte in a zip is found by its CRC', async () => {
    const bytes = zipOf([
      { path: 'a', content: 'first' },
      { path: 'b', content: 'second', crc: 1 }
    ])
    const { exitCode, err, destination } = await extract(bytes, { verifyIntegrity: true })
    expect([exitCode, err]).to.deep.equal([12, 'the archive is corrupted: the CRC of "b" is wrong\n'])
    expect(readdirSync(destination)).to.deep.equal([])
    const without = await extract(bytes)
    expect([without.exitCode, readdirSync(without.destination)]).to.deep.equal([12, ['a']])
  })
  it('what is cut off or changed is corrupted', async () => {
    const tar = tarOf([{ path: 'a', content: 'x'.repeat(5_000) }])
    const zipped = gzipSync(tar)
    const flipped = Buffer.from(tarOf([{ path: 'a' }, { path: 'b', content: 'x' }]))
    flipped[512 + 10] = 7
    for (const bytes of [
      tar.subarray(0, 2_000),
      zipped.subarray(0, zipped.length - 12),
      flipped,
      zipOf([{ path: 'a' }]).subarray(0, 40)
    ])
      expect((await extract(bytes)).exitCode).to.equal(12)
  })
  it('13: an entry that needs a password', async () => {
    expect((await extract(zipOf([{ path: 'a', content: 'x', flags: 1 }]))).exitCode).to.equal(13)
  })
})
