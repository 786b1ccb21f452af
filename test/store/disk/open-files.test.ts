/** Whether the files that an engine has open are still those at their paths. Source: reliability P1. */
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openFiles } from '../../../src/store/disk/open-files.ts'

const NAMES = ['troupe.mdb', 'troupe.mdb-lock', 'write-ahead']

describe('store › the files that an engine has open', () => {
  let home = ''
  let now = 0
  const data = () => join(home, 'data')
  const look = () => {
    const files = openFiles({ home, dataDir: data() }, () => now)
    return () => {
      now += 1_000
      return files.fault()
    }
  }
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'troupe-files-'))
    mkdirSync(data())
    for (const name of NAMES) writeFileSync(join(data(), name), name)
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  it('they are in place, also when they are written', () => {
    const fault = look()
    for (const name of NAMES) writeFileSync(join(data(), name), 'more')
    expect(fault()).to.equal(undefined)
  })

  const removals: [what: string, remove: () => void, says: RegExp][] = [
    ['the home', () => rmSync(home, { recursive: true }), /^the home of this engine is gone: /],
    [
      'the data folder alone',
      () => rmSync(data(), { recursive: true }),
      /^the data folder in the home of this engine is gone: /
    ],
    ...NAMES.map((name): [string, () => void, RegExp] => [
      name,
      () => rmSync(join(data(), name)),
      new RegExp(`^data/${name} in the home of this engine is gone: `)
    ]),
    [
      'a file that was there in the place of its home',
      () => {
        rmSync(home, { recursive: true })
        writeFileSync(home, '')
      },
      /^the data folder in the home of this engine is gone: /
    ],
    [
      'the store, and another one is in its place',
      () => {
        writeFileSync(join(home, 'other'), 'x')
        renameSync(join(home, 'other'), join(data(), 'troupe.mdb'))
      },
      /^data\/troupe\.mdb in the home of this engine is another file than the one it has open: /
    ],
    [
      'the home, and a copy of it was put back',
      () => {
        cpSync(home, `${home}.copy`, { recursive: true })
        rmSync(home, { recursive: true })
        renameSync(`${home}.copy`, home)
      },
      /^data\/troupe\.mdb in the home of this engine is another file than the one it has open: /
    ]
  ]
  for (const [what, remove, says] of removals)
    it(`${what} is gone: it is reported, with how to fix it`, () => {
      const fault = look()
      remove()
      expect(fault()).to.match(says).and.contain('restore a backup (troupe restore)')
    })

  it('a home that was moved away and comes back is as it was', () => {
    const fault = look()
    renameSync(home, `${home}.away`)
    expect(fault()).to.match(/is gone/)
    renameSync(`${home}.away`, home)
    expect(fault()).to.equal(undefined)
  })

  it('simultaneous requests share a check; after a pause there is a new one', () => {
    const files = openFiles({ home, dataDir: data() }, () => now)
    now += 1_000
    expect(files.fault()).to.equal(undefined)
    rmSync(data(), { recursive: true })
    now += 50
    expect(files.fault()).to.equal(undefined)
    now += 100
    expect(files.fault()).to.match(/is gone/)
  })
})
