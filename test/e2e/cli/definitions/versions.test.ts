/** `troupe versions`: the texts that a definition has had, on a home and on a server elsewhere. Source: docs/cli.md. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Json } from '../../../support/api/live-api.ts'
import { called } from '../../../support/cli/called.ts'
import { type RunningServer, runningServer } from '../../../support/cli/program.ts'
import { temporaryFolder } from '../../../support/homes.ts'

const text = (word: string) => `steps:\n  - name: say\n    command: echo ${word}\n`

describe('troupe versions', function () {
  this.timeout(120_000)
  const folder = temporaryFolder()
  /** A working folder with a file of the same name, which is another definition. */
  const other = temporaryFolder()
  const file = join(folder, 'dags', 'etl.yaml')
  let server: RunningServer
  const done = (...argv: string[]) => called(other, { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }, 'versions', ...argv)
  const there = (...argv: string[]) => done(...argv, '--url', server.address)
  const ask = async (path: string, method = 'GET', body?: object): Promise<Json> =>
    (await fetch(`${server.address}/api/v2${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })).json()

  before(async () => {
    mkdirSync(join(folder, 'dags'))
    writeFileSync(join(other, 'etl.yaml'), text('elsewhere'))
    server = await runningServer({ ENGINE_TZ: 'UTC' }, { folder })
    await ask('/dags', 'POST', { name: 'etl', spec: text('one') })
    for (const word of ['two', 'three']) await ask('/dags/etl/spec', 'PUT', { spec: text(word) })
  })
  after(() => server?.end())

  it('lists them, the newest first, in both places alike', async () => {
    const here = await done('etl')
    expect(here.out).to.match(/^version +since \(UTC\) +how +by +runs +newest run\n3 .* saved .*current\n2 .*\n1 .*\n$/)
    expect((await there('etl')).out).to.equal(here.out)
    const { versions } = await ask('/dags/etl/versions')
    for (const one of [await done('etl', '--json'), await there('etl', '--json')])
      expect(JSON.parse(one.out)).to.deep.equal({ fileName: 'etl', versions })
  })

  it('shows one to the byte, and what is different between two, or to the text of now', async () => {
    expect((await done('etl', '--show', '1')).out).to.equal(text('one'))
    const { out } = await done('etl', '--diff', '1')
    expect(out).to.match(/^before: version 1\nafter: {2}the text that it has now\n\n@@/)
    expect(out).to.contain('-    command: echo one\n').and.contain('+    command: echo three\n')
    expect((await there('etl', '--diff', '1')).out).to.equal(out)
    expect((await there('etl', '--diff', '3,2')).out).to.contain('-    command: echo three\n+    command: echo two\n')
    const same = JSON.parse((await done('etl', '--diff', '3', '--json')).out)
    expect(same).to.deep.equal({ fileName: 'etl', before: 3, after: null, isSame: true, diff: '' })
  })

  it('restores one in the folder of definitions, in both places, and not a file of the working folder', async () => {
    expect((await done('etl', '--restore', '1')).out).to.equal(`${file} has the text of version 1 again\n`)
    expect(readFileSync(file, 'utf8')).to.equal(text('one'))
    expect((await done('etl', '--restore', '1')).out).to.equal(`${file} has the text of version 1 already\n`)
    const { out } = await there('etl', '--restore', '2', '--json')
    expect(JSON.parse(out)).to.deep.include({ saved: true, number: 2 })
    expect(readFileSync(file, 'utf8')).to.equal(text('two'))
    expect(readFileSync(join(other, 'etl.yaml'), 'utf8')).to.equal(text('elsewhere'))
    expect((await done('etl')).out).to.match(/ saved .*current\n/)
  })

  it('says what is wrong, and saves nothing then', async () => {
    for (const [argv, message] of [
      [['etl', '--restore', '9'], 'etl has no version 9: troupe versions etl lists them'],
      [['nobody'], 'nobody'],
      [['etl', '--diff', '1,2,3'], 'versions: --diff: wanted the number of a version, or two as in 1,2, found "1,2,3"'],
      [['etl', '--diff', '1', '--show', '2'], 'versions: wanted one of --diff, --show and --restore'],
      [['./etl.yaml'], 'versions: wanted the name of a definition, found the path "./etl.yaml"']
    ] as const) {
      const { code, err } = await done(...argv)
      expect([code, err.includes(message)], err).to.deep.equal([1, true])
    }
    writeFileSync(join(folder, 'dags', 'odd.yaml'), 'steps:\n  - name: a\n    comand: echo\n')
    await ask('/dags/odd/spec')
    writeFileSync(join(folder, 'dags', 'odd.yaml'), text('fine'))
    const { code, err } = await done('odd', '--restore', '1')
    expect([code, err]).to.satisfy(
      () => code === 1 && /odd\.yaml:3:.*comand[\s\S]*is not saved: version 1/.test(err),
      err
    )
    expect(readFileSync(join(folder, 'dags', 'odd.yaml'), 'utf8')).to.equal(text('fine'))
  })

  it('without a server: what is stored, a text that is not noted yet, and a restore', async () => {
    await server.end()
    writeFileSync(file, text('by hand'))
    const { out, err } = await done('etl')
    expect(err).to.equal('the text that etl has now is none of these: an engine notes it when it reads it\n')
    expect(out).to.contain('saved').and.not.contain('current')
    expect((await done('etl', '--diff', '3')).out).to.contain('+    command: echo by hand\n')
    expect((await done('etl', '--restore', '3', '-q')).out).to.equal('')
    expect(readFileSync(file, 'utf8')).to.equal(text('three'))
  })
})
