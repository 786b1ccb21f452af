/** docs/embedding: its programs do what the page says. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

/** Programs of a page, and after each what it prints. */
function programsOf(page: string): { text: string; prints: string }[] {
  const text = readFileSync(join(PROJECT, 'docs/embedding', page), 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```\n+It prints `([^`]+)`/gms)].map(([, text = '', prints = '']) => ({
    text,
    prints
  }))
}

describe('docs/embedding', function () {
  this.timeout(60_000)
  let folder: string
  before(() => {
    folder = temporaryFolder()
    mkdirSync(join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    symlinkSync(PROJECT, join(folder, 'node_modules/troupe'))
    symlinkSync(join(PROJECT, 'node_modules/zod'), join(folder, 'node_modules/zod'))
  })
  for (const [at, { text, prints }] of programsOf('functions.md').entries())
    it(`functions.md: program ${at + 1} prints ${prints}`, () => {
      const path = join(folder, `program-${at}.js`)
      writeFileSync(path, transformSync(text, { loader: 'ts', format: 'esm' }).code)
      const { stdout, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8', timeout: 50_000 })
      expect([stdout.trim(), stderr]).to.deep.equal([prints, ''])
    })
  it('has programs', () => {
    expect(programsOf('functions.md')).to.have.length(2)
  })
})
