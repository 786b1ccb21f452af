/** The manual pages about tests: every example is played, and the schema is that of the program. UPDATE_GOLDEN=1 writes that anew. */
import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { parse } from 'yaml'
import { playSuite } from '../../src/testing/suite/play-suite.ts'
import { suiteSchemaText } from '../../src/testing/suite/suite.ts'
import { shellIn } from '../support/docs/pasting.ts'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

const blocksOf = (page: string, language: string): string[] =>
  Array.from(
    readFileSync(join(PROJECT, page), 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')),
    ([, text = '']) => text
  )
const elapsed = () => performance.now()

describe('docs/testing.md', () => {
  it('its commands play the tests, say what no test has reached, and play them again after a change', async function () {
    this.timeout(120_000)
    const folder = temporaryFolder()
    const shell = shellIn(folder)
    const tests = blocksOf('docs/testing.md', 'yaml test')[0] ?? ''
    writeFileSync(join(folder, 'etl.yaml'), blocksOf('docs/testing.md', 'yaml')[0] ?? '')
    writeFileSync(join(folder, 'etl.test.yaml'), tests)
    const [commands = '', ...others] = blocksOf('docs/testing.md', 'sh')
    expect(others).to.deep.equal([])
    let isChanged = false
    const { out } = await shell.paste(commands, {
      until(out) {
        const [, ...waits] = out.split('waiting for a change')
        if (waits.length === 1 && !isChanged) {
          isChanged = true
          // In one step: half a file would be played, too.
          writeFileSync(join(folder, 'changed'), `${tests}\n# changed\n`)
          renameSync(join(folder, 'changed'), join(folder, 'etl.test.yaml'))
        }
        return waits.length === 2
      }
    })
    expect(out.match(/^3 passed, 0 failed$/gm)).to.have.length(4)
    expect(out).to.contain('etl: 2 of 2 steps, 1 of 1 handlers, 2 of 2 branches')
  })
  it('docs/test.schema.json is that of the program, and takes the examples', () => {
    const path = join(PROJECT, 'docs', 'test.schema.json')
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, suiteSchemaText())
    expect(readFileSync(path, 'utf8'), 'UPDATE_GOLDEN=1 writes it anew').to.equal(suiteSchemaText())
    const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(
      JSON.parse(suiteSchemaText())
    )
    const example = readFileSync(join(PROJECT, 'fixtures/examples/backup.test.yaml'), 'utf8')
    for (const text of [...blocksOf('docs/testing.md', 'yaml test'), example]) {
      validate(parse(text))
      expect(validate.errors).to.equal(null)
    }
    expect(validate({ tests: [{ nme: 'a' }] })).to.equal(false)
  })
  it('fixtures/examples/backup.test.yaml passes, and reaches all of its workflow', async () => {
    const { problems, tests, coverage } = await playSuite('fixtures/examples/backup.test.yaml', PROJECT, {
      coverage: true,
      elapsed
    })
    expect([...problems, ...tests.flatMap(({ failures }) => failures)]).to.deep.equal([])
    expect(coverage.filter(({ isReached }) => !isReached)).to.deep.equal([])
  })
})

describe('docs/embedding/testing.md', () => {
  it('its examples run, and end by themselves: no handle is left', () => {
    const folder = temporaryFolder()
    const examples = blocksOf('docs/embedding/testing.md', 'js')
    expect(examples.length).to.equal(2)
    const module = pathToFileURL(join(PROJECT, 'dist/src/testing/index.js')).href
    const whole = examples.map((text, index) => {
      writeFileSync(join(folder, `${index}.mjs`), text.replace("'troupe/testing'", `'${module}'`))
      return `await import('./${index}.mjs')\n`
    })
    writeFileSync(join(folder, 'all.mjs'), `${whole.join('')}console.log('done')\n`)
    expect(execFileSync(process.execPath, [join(folder, 'all.mjs')], { encoding: 'utf8', timeout: 60_000 })).to.equal(
      'done\n'
    )
  })
})
