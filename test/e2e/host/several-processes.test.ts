/** Several processes on one home, as docs/embedding/several-processes.md has them: a rolling deploy, and the owner killed again and again. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/homes.ts'
import { type Hosts, installedHosts } from '../../support/hosts/packed.ts'
import { ofAll } from '../../support/long.ts'
import { PROJECT } from '../../support/project.ts'

describe('host applications › several processes', function () {
  this.timeout(300_000)
  let hosts: Hosts
  before(async () => {
    hosts = await installedHosts()
  })
  /** What a program prints. It may take longer than others, in as many rounds. */
  async function printed(program: string, rounds: number): Promise<string> {
    const folder = mkdtempSync(join(temporaryFolder(), 'several-'))
    const argv = [join(hosts.folder, 'several-processes', program), join(folder, 'home'), join(folder, 'calls')]
    const child = spawn(process.execPath, [...argv, String(rounds)], { stdio: ['ignore', 'pipe', 'pipe'] })
    const said = { out: '', err: '' }
    child.stdout.on('data', (text) => (said.out += text))
    child.stderr.on('data', (text) => (said.err += text))
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect(code, said.err).to.equal(0)
    return said.out
  }

  it('rolling deploy: one release begins beside the other and takes over: no request is refused, no run lost, none twice', async () => {
    const deploys = ofAll(1, 10)
    expect(await printed('rolling-deploy.js', deploys)).to.equal(`answered by ${deploys + 1} releases
refused: 0
lost: 0
twice: 0
keys of calls: 2 a run
`)
  })
  it('cluster: the owner and clients are killed at any instant: the next owner has all runs, and the other clients go on', async () => {
    expect(await printed('kill-owner.js', ofAll(2, 50))).to.equal(`socket: 600
failures: 0
lost: 0
lost of killed clients: 0
twice: 0
results: right
keys of calls: 2 a run
`)
  })
  it('two workers of a web framework: both have orders, the API and the page; the one with the engine is killed, and requests go on', async () => {
    expect(await printed('web-workers.js', 1)).to.equal(`ordered: P-order/a/ship/0 P-order/b/ship/0
first: 2 runs, page: true, a stranger: 401
second: 2 runs, page: true, a stranger: 401
under way: 10
ordered: P-order/d/ship/0 P-order/e/ship/0
runs: 14 14
`)
  })
  it('docs/embedding/several-processes.md has the module as it is', () => {
    const page = readFileSync(join(PROJECT, 'docs/embedding/several-processes.md'), 'utf8')
    const [, module = ''] = /^```js several-processes\/flows\.js\n(.*?)^```$/ms.exec(page) ?? []
    expect(module).to.equal(readFileSync(join(PROJECT, 'fixtures/hosts/several-processes/flows.js'), 'utf8'))
  })
})
