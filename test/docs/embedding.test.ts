/** docs/embedding, docs/secrets.md: their programs do what the page says. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

/** Programs of a page, and after each what it prints. */
function programsOf(page: string): { text: string; prints: string }[] {
  const text = readFileSync(join(PROJECT, 'docs', page), 'utf8')
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
  const pages = ['embedding/functions.md', 'secrets.md', 'embedding/flow.md']
  const programs = pages.flatMap((page) => programsOf(page).map((program) => ({ page, ...program })))
  for (const [at, { page, text, prints }] of programs.entries())
    it(`${page}: program ${at + 1} prints ${prints}`, () => {
      const path = join(folder, `program-${at}.js`)
      writeFileSync(path, transformSync(text, { loader: 'ts', format: 'esm' }).code)
      const { stdout, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8', timeout: 50_000 })
      expect([stdout.trim(), stderr]).to.deep.equal([prints, ''])
    })
  it('has programs', () => {
    expect(programs.map(({ page }) => page)).to.deep.equal([
      pages[0],
      pages[0],
      pages[1],
      pages[2],
      pages[2],
      pages[2],
      pages[2],
      pages[2]
    ])
  })
})
