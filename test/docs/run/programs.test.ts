/**
 * Programs of pages, each in a process of its own: docs/configuration.md, docs/inspect.md, docs/executors/custom.md and
 * function.md. What a page says stands around them is here: a service that they call, a definition that they start. They end by what the test puts behind them.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { type Fence, fencesIn } from '../../support/docs/fences.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'

const blocksOf = (page: string, language: string): Fence[] =>
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
  /** A service that answers, while `work` goes on. @returns what it was asked */
  async function beside(
    answer: string,
    work: (address: string) => Promise<void>
  ): Promise<{ asked: Pick<IncomingMessage, 'method' | 'url' | 'headers'>; body: string }[]> {
    const all: Awaited<ReturnType<typeof beside>> = []
    const server = createServer(async (asked, response) => {
      let body = ''
      for await (const text of asked.setEncoding('utf8')) body += text
      all.push({ asked, body })
      response.end(answer)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    } finally {
      server.close()
    }
    return all
  }
  const ENDED = `
import { readFileSync } from 'node:fs'
const ended = async (fileName) => {
  const { run, nodes } = await engine.result(await engine.start({ fileName }))
  console.log(run.status, nodes.map(({ node }) => readFileSync(node.stdout, 'utf8').trim()).join(', '))
}
`

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
  it('docs/executors/custom.md: the executor publishes what its example says', async () => {
    const page = 'docs/executors/custom.md'
    const tell = blocksOf(page, 'yaml')[0]?.text ?? ''
    const asked = await beside('thanks', async (address) => {
      const files = { 'tell.yaml': tell.replace('http://127.0.0.1:9000', address) }
      const { stdout } = await ran(
        `${programOf(page, 'ts')}${ENDED}await ended('tell')\nawait engine.close()`,
        {},
        files
      )
      expect(stdout).to.equal('succeeded thanks\n')
    })
    expect(asked.map(({ asked, body }) => [asked.method, asked.url, body])).to.deep.equal([
      ['POST', '/news?retain=true', 'it is done']
    ])
  })
  it('docs/executors/function.md: the function charges, and its receipt is in the next step', async () => {
    const page = 'docs/executors/function.md'
    const files = { 'order.yaml': blocksOf(page, 'yaml')[0]?.text ?? '' }
    const asked = await beside('R-12', async (address) => {
      const { stdout } = await ran(
        `${programOf(page, 'ts').replace('https://pay.example.org', address)}${ENDED}await ended('order')\nawait engine.close()`,
        {},
        files
      )
      expect(stdout).to.match(/^succeeded \S+ info charged status=200, paid, R-12\n$/)
    })
    expect(asked.map(({ asked, body }) => [asked.url, body])).to.deep.equal([
      ['/charges', JSON.stringify({ amount: 12, card: '4242' })]
    ])
    expect(asked[0]?.asked.headers['idempotency-key']).to.match(/^order\/.*\/charge\/0$/)
  })
})
