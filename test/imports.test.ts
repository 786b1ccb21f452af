/** The import table is kept, and what looks at the time, at chance or at the environment stands where it belongs. Source: style "Who may import whom", architecture 2. */
import { expect } from 'chai'
import { TABLE, WORDS_OF_A_ROOM } from './support/tree/import-table.ts'
import { importsOf, rowOf, type Source, sources, strangersIn } from './support/tree/imports.ts'

describe('imports › who may import whom', () => {
  const all = sources()

  it('reads every file of machines/ and src/', () => {
    const paths = all.map(({ path }) => path)
    expect(paths).to.include.members(['machines/policy/retry.ts', 'src/clock.ts', 'src/api/routes/dags.ts'])
    expect(paths.length).to.be.greaterThan(60)
  })
  it('every file stands in exactly one room', () => {
    for (const { path } of all) {
      const rooms = TABLE.filter(({ files }) => files.some((place) => path === place || path.startsWith(place)))
      expect(
        rooms.map(({ room }) => room),
        path
      ).to.have.length(1)
    }
  })
  for (const { room, files } of TABLE)
    it(`${room} imports no stranger, and says no word of another room`, () => {
      const own = all.filter(({ path }) => rowOf(path)?.room === room)
      expect(own, files.join()).not.to.deep.equal([])
      expect(own.flatMap(strangersIn)).to.deep.equal([])
    })
  it('a duration is waited for by `after`: one until an instant lasts as long as a clock is set back', () => {
    const durations = all.filter(({ text }) => LASTS_UNTIL_AN_INSTANT.test(text))
    expect(durations.map(({ path }) => path)).to.deep.equal([])
    expect('clock.at(clock.now() + LAG_MS, ring)').to.match(LASTS_UNTIL_AN_INSTANT)
  })
})

/** An instant that is as far from now as something is to last. */
const LASTS_UNTIL_AN_INSTANT = /\.at\(\s*\w+\.now\(\) \+/

describe('imports › the check can fail', () => {
  const planted = (path: string, text: string) => strangersIn({ path, text })
  const everyRoom: Source[] = TABLE.map(({ files: [place = ''] }) => ({
    path: place.endsWith('/') ? `${place}planted.ts` : place,
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
    expect(planted('src/api/routes/dags.ts', "import { openSystem } from '../../actors/system.ts'\n")).to.have.length(1)
    expect(planted('src/store/open.ts', "import { parse } from 'yaml'\n")).to.have.length(1)
  })
  it('what is open for its types is closed for its values', () => {
    const path = 'src/api/shapes/shapes.ts'
    expect(planted(path, "import type { Plan } from '../../machines/vocabulary.ts'\n")).to.deep.equal([])
    expect(planted(path, "import { statusOf } from '../../machines/node.ts'\n")).to.have.length(1)
    expect(planted(path, "import { type NodeInput, statusOf } from '../../machines/node.ts'\n")).to.have.length(1)
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
