/** The import table holds, files import each other in no circle, and the clock, chance and the environment are used in one place each. Source: style "Who may import whom", architecture 2. */
import { expect } from 'chai'
import { unusedExports } from './support/tree/exports.ts'
import { TABLE } from './support/tree/import-table.ts'
import {
  buildModules,
  importsOf,
  placeOf,
  rowOf,
  type Source,
  sources,
  strangersIn,
  unusedIn
} from './support/tree/imports.ts'
import { circlesIn, codeBelow, crowded } from './support/tree/tree.ts'
import { WORDS_OF_A_ROOM } from './support/tree/words-of-rooms.ts'

describe('imports › who may import whom', () => {
  const all = sources()

  it('reads every file of machines/ and src/', () => {
    const paths = all.map(({ path }) => path)
    expect(paths).to.include.members(['machines/policy/retry.ts', 'src/clock.ts', 'src/api/routes/dags.ts'])
    expect(paths.length).to.be.greaterThan(60)
  })
  it('every file stands in a room', () => {
    expect(all.map(({ path }) => path).filter((path) => !rowOf(path))).to.deep.equal([])
  })
  it('a row names only rows above it, so that no import runs back', () => {
    const rooms = TABLE.map(({ room }) => room)
    expect(new Set(rooms).size).to.equal(rooms.length)
    TABLE.forEach(({ room, may }, index) => {
      const above = may.filter((one) => !rooms.slice(0, index).includes(placeOf(one).place.split('/')[0] ?? ''))
      expect(above, room).to.deep.equal([])
    })
  })
  for (const row of TABLE)
    it(`${row.room} imports only what its row allows, uses no word of another room, and its row allows nothing unused`, () => {
      const own = all.filter(({ path }) => rowOf(path) === row)
      expect(own).not.to.deep.equal([])
      expect(own.flatMap(strangersIn)).to.deep.equal([])
      expect(unusedIn(row, all)).to.deep.equal([])
    })
  it('a duration is waited for by `after`: one until an instant lasts as long as a clock is set back', () => {
    const durations = all.filter(({ text }) => LASTS_UNTIL_AN_INSTANT.test(text))
    expect(durations.map(({ path }) => path)).to.deep.equal([])
    expect('clock.at(clock.now() + LAG_MS, ring)').to.match(LASTS_UNTIL_AN_INSTANT)
  })
})

/** An instant that is as far from now as something is to last. */
const LASTS_UNTIL_AN_INSTANT = /\.at\(\s*\w+\.now\(\) \+/

describe('imports › the tree', () => {
  const ROOTS = ['machines', 'src', 'test']

  it('files import each other in no circle, types included', () => {
    expect(circlesIn(sources(ROOTS))).to.deep.equal([])
  })
  it('no folder is crowded', () => {
    expect(crowded(codeBelow(ROOTS))).to.deep.equal([])
  })
  it('no file exports a value that no other file imports', () => {
    const users = [...sources(ROOTS), ...buildModules()]
    expect(unusedExports(sources(), users)).to.deep.equal([])
  })
  it('a planted export is found, and none that somebody imports', () => {
    const planted = [
      {
        path: 'src/a/one.ts',
        text: ['const', 'async function', 'class', 'function*']
          .map((kind, n) => `export ${kind} planted${n}\n`)
          .join('')
      },
      { path: 'src/b/two.ts', text: "import {\n  planted0,\n  type planted2 as Other\n} from '../a/one.ts'\n" },
      { path: 'src/b/build.mjs', text: "import { planted1 } from '../../dist/src/a/one.js'\n" }
    ]
    expect(unusedExports(planted, planted)).to.deep.equal(['src/a/one.ts: planted3'])
    const late = { path: 'test/a.test.ts', text: "const one = await import('../src/a/one.ts')\n" }
    expect(unusedExports(planted, [...planted, late])).to.deep.equal([])
  })
  it('a planted circle is found, also one of types', () => {
    const planted = [
      { path: 'src/a/one.ts', text: "import { two } from '../b/two.ts'\n" },
      { path: 'src/b/two.ts', text: "import { three } from './three.ts'\n" },
      { path: 'src/b/three.ts', text: "import type { One } from '../a/one.ts'\n" }
    ]
    expect(circlesIn(planted)).to.deep.equal(['src/a/one.ts -> src/b/two.ts -> src/b/three.ts -> src/a/one.ts'])
    expect(circlesIn(planted.slice(1))).to.deep.equal([])
    expect(circlesIn([{ path: 'src/a.ts', text: "export * from './a.ts'\n" }])).to.have.length(1)
  })
  it('a crowded folder is found', () => {
    const files = (folder: string, count: number) => Array.from({ length: count }, (_, n) => `${folder}/f${n}.ts`)
    expect(crowded([...files('src', 7), ...files('src/a', 20), 'src/a/b/c.ts'])).to.deep.equal([])
    expect(crowded(files('src', 8))).to.deep.equal(['src/ has 8 files beside each other'])
    expect(crowded(files('test/a', 21))).to.deep.equal(['test/a/ has 21 files beside each other'])
  })
})

describe('imports › the check can fail', () => {
  const planted = (path: string, text: string) => strangersIn({ path, text })
  const everyRoom: Source[] = TABLE.map(({ room }) => ({
    path: room === 'machines' ? 'machines/planted.ts' : `src/${room}/planted.ts`,
    text: "import { stranger } from 'a-stranger'\n"
  }))

  it('in every room it names the file, the import and the row', () => {
    for (const source of everyRoom) {
      const [found = ''] = strangersIn(source)
      expect(found)
        .to.include(source.path)
        .and.include('imports a-stranger')
        .and.include(`row ${rowOf(source.path)?.room}`)
    }
  })
  it('a chart may not reach into src, nor into Node', () => {
    expect(planted('machines/run.ts', "import { systemClock } from '../src/clock.ts'\n")).to.deep.equal([
      'machines/run.ts: imports ../src/clock.ts; row machines may import itself, xstate'
    ])
    expect(planted('machines/policy/retry.ts', "import { join } from 'node:path'\n")).to.have.length(1)
  })
  it('a room may not reach into a room that is not in its row', () => {
    expect(planted('src/definition/read.ts', "import { openStore } from '../store/open.ts'\n")).to.have.length(1)
    expect(
      planted('src/api/routes/dags.ts', "import { openSystem } from '../../actors/root/system.ts'\n")
    ).to.have.length(1)
    expect(planted('src/store/open.ts', "import { parse } from 'yaml'\n")).to.have.length(1)
  })
  it('finds what a row allows and nothing uses', () => {
    const own = [{ path: 'src/log.ts', text: "import { systemClock } from './clock.ts'\n" }]
    expect(unusedIn({ room: 'log', may: ['clock', 'types:errors'], npm: ['koa'] }, own)).to.deep.equal([
      'types:errors',
      'koa'
    ])
  })
  it('what is open for its types is closed for its values', () => {
    const path = 'src/api/shapes/shapes.ts'
    expect(planted(path, "import type { Plan } from '../../../machines/vocabulary.ts'\n")).to.deep.equal([])
    expect(planted(path, "import { statusOf } from '../../../machines/node.ts'\n")).to.have.length(1)
    expect(planted(path, "import { type NodeInput, statusOf } from '../../../machines/node.ts'\n")).to.have.length(1)
  })
  it('finds every form of import', () => {
    const forms = [
      "import a from 'one'",
      "import * as b from 'two'",
      "import {\n  c,\n  type D\n} from 'three'",
      "export { e } from 'four'",
      "export * from 'five'",
      "import 'six'",
      "const f = await import('seven')",
      "const g = require('eight')",
      "export type { H } from 'nine'"
    ]
    expect(importsOf(forms.join('\n')).map(({ from }) => from)).to.have.members([
      'one',
      'two',
      'three',
      'four',
      'five',
      'six',
      'seven',
      'eight',
      'nine'
    ])
  })
  it('is not misled by comments', () => {
    const text =
      "/**\n * import { a } from 'one'\n */\n// import { b } from 'two' and Date.now()\nexport const c = 1 // setTimeout(\n"
    expect(planted('machines/run.ts', text)).to.deep.equal([])
  })
  it('a file in no room is a finding', () => {
    expect(planted('src/helpers/any.ts', '')).to.deep.equal([
      'src/helpers/any.ts: stands in no room of the import table'
    ])
  })
  it('finds each word outside its room, and lets it be inside', () => {
    const uses = [
      'Date.now()',
      'new Date()',
      'setTimeout(next, 5)',
      'setInterval(next, 5)',
      'Math.random()',
      'process.env.HOME'
    ]
    expect(uses).to.have.length(WORDS_OF_A_ROOM.length)
    uses.forEach((use, index) => {
      const { word = '', room = '' } = WORDS_OF_A_ROOM[index] ?? {}
      const text = `export const used = () => ${use}\n`
      expect(planted('src/definition/read.ts', text)).to.deep.equal([
        `src/definition/read.ts: says ${word}, which is only for ${room}`
      ])
      expect(planted(room, text)).to.deep.equal([])
    })
  })
  it('a time that was handed in is no look at the clock', () => {
    expect(
      planted('src/api/shapes/time-text.ts', 'export const text = (at: number) => new Date(at).toISOString()\n')
    ).to.deep.equal([])
  })
})
