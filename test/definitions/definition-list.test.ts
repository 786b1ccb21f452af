/** All definitions as one list: what is read, and when. Source: architecture 6, api-semantics 3.2. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type DefinitionList, definitionList } from '../../src/definitions/definition-list.ts'
import type { DefinitionFile } from '../../src/store/files/definitions.ts'
import { temporaryFolder } from '../support/homes.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'
import { eventually } from '../support/waiting.ts'

describe('the list of all definitions', () => {
  const clock = simulatedClock()
  const files = new Map<string, { fileName: string; stamp: string }>()
  let folder: string
  let list: DefinitionList<{ fileName: string; stamp: string }>
  /** Files that were read since it was emptied. */
  const read: string[] = []

  function load({ fileName, stamp }: DefinitionFile) {
    const known = files.get(fileName)
    if (known?.stamp === stamp) return known
    read.push(fileName)
    const item = { fileName, stamp }
    files.set(fileName, item)
    return item
  }
  const write = (name: string, text = 'steps: []') => writeFileSync(join(folder, `${name}.yaml`), text)
  const names = () => list.now().map(({ fileName }) => fileName)
  const forgotten: string[] = []
  /** A slice is over after half a millisecond. */
  const onSlowMachine = () => {
    list.close()
    list = definitionList(folder, { ...clock, elapsed: () => performance.now() * 20 }, load, () => {})
  }

  beforeEach(() => {
    folder = join(temporaryFolder(), 'dags')
    mkdirSync(folder)
    files.clear()
    list = definitionList(folder, clock, load, (names) => {
      for (const name of files.keys()) if (!names.has(name)) forgotten.push(name)
    })
  })
  afterEach(() => list.close())
  const fill = (count: number) => {
    for (let n = 0; n < count; n++) write(`dag-${String(n).padStart(5, '0')}`)
  }

  it('is by file name, and the same array as long as nothing has changed', () => {
    for (const name of ['b', 'a', 'c']) write(name)
    expect(names()).to.deep.equal(['a', 'b', 'c'])
    expect(list.now()).to.equal(list.now())
  })

  it('a change costs the reading of that file, whatever else there is', async () => {
    fill(300)
    const before = list.now()
    read.length = 0
    write('dag-00007', 'steps: [echo other]')
    write('aaa')
    await eventually('the change', () => (list.now()[0]?.fileName === 'aaa' ? true : undefined))
    await eventually('the other', () => (read.includes('dag-00007') ? true : undefined))
    expect(new Set(read)).to.deep.equal(new Set(['aaa', 'dag-00007']))
    expect(list.now()).to.have.length(301)
    expect(list.now()[8], 'the changed one').to.not.equal(before[7])
    expect(list.now()[9], 'its neighbour').to.equal(before[8])
  })

  it('what this process changed is seen at once', () => {
    fill(3)
    list.now()
    write('new')
    list.changed('new')
    rmSync(join(folder, 'dag-00000.yaml'))
    list.changed('dag-00000')
    list.changed('never-there')
    expect(names()).to.deep.equal(['dag-00001', 'dag-00002', 'new'])
  })

  it('of a.yaml and a.yml the first is listed, and the other when it goes', () => {
    write('a')
    writeFileSync(join(folder, 'a.yml'), 'steps: [other]')
    const [first] = list.now()
    rmSync(join(folder, 'a.yaml'))
    list.changed('a')
    expect(names()).to.deep.equal(['a'])
    expect(list.now()[0]).to.not.equal(first)
  })

  it('ready: read in slices, so that others are not blocked; and then there is nothing left to read', async () => {
    fill(2_000)
    let turns = 0
    let isOver = false
    onSlowMachine()
    const ready = list.ready().then(() => {
      isOver = true
    })
    while (!isOver) {
      turns++
      await new Promise((resolve) => setImmediate(resolve))
    }
    await ready
    expect(turns).to.be.greaterThan(3)
    read.length = 0
    expect(names()).to.have.length(2_000)
    expect(read).to.deep.equal([])
  })

  it('ready: many changes at once are read in slices too; several who wait wait for one reading', async () => {
    fill(200)
    await list.ready()
    list.now()
    read.length = 0
    for (let n = 0; n < 100; n++) write(`dag-${String(n).padStart(5, '0')}`, 'steps: [echo again]')
    for (let n = 0; n < 100; n++) list.changed(`dag-${String(n).padStart(5, '0')}`)
    const states = await Promise.all([1, 2, 3].map(() => list.ready().then(() => [...list.now()])))
    expect(new Set(read).size).to.equal(100)
    const latest = new Map(files)
    for (const state of states) expect(state.every((item) => latest.get(item.fileName) === item)).to.equal(true)
    expect(names()).to.have.length(200)
  })

  it('who wants it now, while many changes are read in slices, gets none of the old ones', () => {
    fill(200)
    onSlowMachine()
    list.now()
    for (let n = 0; n < 100; n++) {
      write(`dag-${String(n).padStart(5, '0')}`, 'steps: [echo again]')
      list.changed(`dag-${String(n).padStart(5, '0')}`)
    }
    read.length = 0
    void list.ready()
    expect(list.now()).to.have.length(200)
    expect(new Set(read).size).to.equal(100)
  })

  it('who wants it now does not wait for the slices, and they end', async () => {
    fill(500)
    const ready = list.ready()
    expect(names()).to.have.length(500)
    await ready
    expect(names()).to.have.length(500)
  })

  it('a change without a watch event is noticed within a minute', () => {
    write('a')
    const [first] = list.now()
    renameSync(join(folder, 'a.yaml'), join(folder, 'b.yaml'))
    // No turn of the event loop: the watch had no chance to tell.
    expect(list.now()[0]).to.equal(first)
    clock.goTo(clock.now() + 60_000)
    expect(names()).to.deep.equal(['b'])
    expect(forgotten).to.include('a')
  })

  it('a folder that is not there holds none; one that comes is seen at once; closed while slices are read, ready ends', async () => {
    rmSync(folder, { recursive: true })
    expect(list.now()).to.deep.equal([])
    await list.ready()
    mkdirSync(folder)
    write('a')
    expect(names()).to.deep.equal(['a'])
    list.forget()
    const ready = list.ready()
    list.close()
    await ready
  })
})
