/** What the README shows works when pasted. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'

const project = fileURLToPath(new URL('../../../', import.meta.url))
const readme = readFileSync(join(project, 'README.md'), 'utf8')
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(readme)?.[1] ?? ''

describe('README', () => {
  it('embedding: the lines run as they are, and are at most ten', () => {
    const code = block('js')
    expect(code.trim().split('\n').filter(Boolean)).to.have.length.at.most(10)
    // Inside the package, so that its name resolves to it.
    const folder = mkdtempSync(join(project, 'dist', 'readme-'))
    try {
      writeFileSync(join(folder, 'embed.mjs'), code)
      const said = execFileSync(process.execPath, [join(folder, 'embed.mjs')], { encoding: 'utf8' })
      expect(said).to.match(/succeeded Hello, host\n$/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('the workflow it shows is valid and succeeds', async () => {
    const engine = await createEngine({ temporary: true })
    try {
      const { run, nodes } = await engine.result(await engine.start({ spec: block('yaml') }))
      expect(run.status).to.equal('succeeded')
      expect(nodes[0]?.node.output).to.equal('Hello, world')
    } finally {
      await engine.close()
    }
  })
})
