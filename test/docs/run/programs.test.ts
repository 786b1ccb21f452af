/** Programs of pages, each in a process of its own: docs/configuration.md and docs/inspect.md. They end by what the test puts behind them. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { fencesIn } from '../../support/docs/fences.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'

const blocksOf = (page: string, language: string) =>
  fencesIn(page, readFileSync(join(PROJECT, page), 'utf8')).filter(
    (one) => one.language === language && one.rest === ''
  )
const programOf = (page: string, language: 'js' | 'ts'): string => {
  const [{ text } = { text: '' }, ...others] = blocksOf(page, language)
  expect(others.length, page).to.equal(0)
  return text
}

describe('programs of pages', function () {
  this.timeout(60_000)
  let folder: string
  let count = 0
  before(() => {
    folder = temporaryFolder()
    mkdirSync(join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    symlinkSync(PROJECT, join(folder, 'node_modules/troupe'))
    symlinkSync(join(PROJECT, 'node_modules/zod'), join(folder, 'node_modules/zod'))
  })

  /** @returns what it prints */
  async function ran(program: string, environment: Record<string, string> = {}, files: Record<string, string> = {}) {
    const home = join(folder, `home-${count++}`)
    mkdirSync(join(home, 'dags'), { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, 'dags', name), text)
    const path = join(folder, `program-${count}.js`)
    writeFileSync(path, transformSync(program, { loader: 'ts', format: 'esm' }).code)
    const env = { PATH: process.env.PATH, HOME: home, SHELL: '/bin/sh', ENGINE_HOME: home, ...environment }
    return promisify(execFile)(process.execPath, [path], { cwd: home, env, timeout: 50_000 })
  }
  it('docs/configuration.md: settings of an engine in a host application count', async () => {
    const home = temporaryFolder()
    const { stdout } = await ran(
      `${programOf('docs/configuration.md', 'js').replace('/var/lib/my-app', home)}
const asked = async (headers) => (await fetch(engine.inspectedAt + '/api/v2/dags', { headers })).status
console.log(engine.inspectedAt.replace(/.*:\\d+/, ''), await asked({}), await asked({ authorization: 'Bearer sesame' }))
console.log(engine.config.home, engine.config.defaultShell)
await engine.close()`,
      { TOKEN: 'sesame' }
    )
    expect(stdout).to.equal(`/eng 401 200\n${home} bash\n`)
  })
  it('docs/inspect.md: an engine says where it is watched, and why a run ended as it did', async () => {
    const { stdout, stderr } = await ran(
      `${programOf('docs/inspect.md', 'ts')}\nawait engine.close()`,
      {},
      { 'etl.yaml': 'steps: [{name: load, command: exit 3}]\n' }
    )
    expect(stderr).to.match(/^troupe: watch the engine at http:\/\/127\.0\.0\.1:\d+\/\n$/)
    expect(stdout).to.equal('etl 1 step failed: load\nload load ended with code 3\n')
  })
})
