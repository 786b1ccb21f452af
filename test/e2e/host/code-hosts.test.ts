/** Applications with definitions in code, on the package as it is published. Source: embedding 4, programs 1, 2, 10, 12. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { fencesIn } from '../../support/docs/fences.ts'
import { shellIn } from '../../support/docs/pasting.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { type Hosts, INSTALLING_MS, installedHosts, isOffline, PACKED, packed } from '../../support/hosts/packed.ts'
import { itLong } from '../../support/long.ts'
import { PROJECT } from '../../support/project.ts'
import { eventually } from '../../support/waiting.ts'

const blocksOf = (page: string, language: string): string[] =>
  fencesIn('', readFileSync(join(PROJECT, 'docs', 'embedding', page), 'utf8')).flatMap((one) =>
    one.language === language && one.rest === '' ? [one.text] : []
  )

describe('host applications › definitions in code', () => {
  let hosts: Hosts
  const printed = async (program: string) => (await hosts.run(program)).out
  before(async () => {
    hosts = await installedHosts({ more: ['zod', 'valibot'] })
  })

  it('shop: killed in charge, while it waits and in ship: one receipt, one key a step, nothing runs after it succeeded', async () => {
    expect(await printed('shop/main.js')).to.equal(`killed in charge
killed while it waits for the approval
approved over HTTP: 200
killed in ship
result {"charged":{"receipt":"R-1: 500"},"shipped":{"parcel":"parcel of 1","approved":true,"by":"eve"}}
charge: 4 calls, 1 key
ship: 2 calls, 1 key
attempts of charge: 1 2 3 4
receipts: 1
charge after it succeeded: never
`)
  })
  it('first-order: as the page has it: killed while it waits, answered without a login, its result; its test', async () => {
    const program = join(hosts.folder, 'first-order')
    const env = { ...process.env, PORT: '0' }
    const said: string[] = []
    /** `then` is called when it has said that and waits; true: it is killed. */
    async function begun(until: string, then: (address: string) => Promise<boolean>): Promise<void> {
      const child = spawn(process.execPath, ['host.js'], { cwd: program, env, stdio: ['ignore', 'pipe', 'inherit'] })
      let address = ''
      try {
        for await (const line of createInterface(child.stdout)) {
          said.push(line)
          if (line.startsWith('http')) address = line
          if (!line.includes(until)) continue
          await eventually('it waits', async () => {
            const { waiting } = (await (await fetch(`${address}/api/v2/waiting`)).json()) as { waiting: unknown[] }
            return waiting.length === 1 || undefined
          })
          if (await then(address)) break
        }
      } finally {
        child.kill('SIGKILL')
      }
    }
    await begun('attempt 3', async () => true)
    await begun('http', async (address) => {
      const shell = shellIn(temporaryFolder(), [['http://127.0.0.1:3000/flows', address]])
      const { code, out } = await shell.paste(blocksOf('README.md', 'sh')[1] ?? 'false')
      expect(code, out).to.equal(0)
      return false
    })
    const told = said.filter((line) => !line.startsWith('http')).join('\n')
    expect(told).to.equal(`charge 500, attempt 1, key order/order-1/charge/0
charge 500, attempt 2, key order/order-1/charge/0
charge 500, attempt 3, key order/order-1/charge/0
ship 1, key order/order-1/ship/0
{
  charged: { receipt: 'R-500' },
  shipped: { parcel: 'parcel of 1', approved: true, by: 'eve' }
}`)
    expect((await hosts.test('first-order')).out).to.match(/ pass 1\n. fail 0/)
  })
  it('refunds: killed while it pays back: one charge for each order, one refund, with its reason', async () => {
    expect(await printed('refunds/main.js')).to.equal(`one: parcel to Bonn
in refund
killed
in refund
one: parcel to Bonn
two: RunFailed: no driver for Isle of May, NO_DRIVER
charged 500 order/one/charge/0
charged 500 order/two/charge/0
refunded 500 of R-500: no driver for Isle of May order/two/onFailure/0
`)
  })
  it('approval-links: killed while it waits; a link answers once, in the name that is signed in it, and a look at it does not', async () => {
    expect(await printed('approval-links/main.js')).to.equal(`...
mail to anna: Release 4.13.1? ...
mail to ben: Release 4.13.1? ...
it waits
killed
forged: 403 this link is not one of ours
opened: 200 a form
anna: 200 thank you, anna
published: 4.13.1, approved by anna
anna, once more: 200 thank you, anna
ben: 409 somebody has answered before you
`)
  })
  it('consumer: killed between a run and its acknowledgement: each message has one run', async () => {
    expect(await printed('consumer/main.js')).to.equal(`20 runs succeeded
packed for 20 keys
messages that came again: at most one for each kill
`)
  })
  it('nightly: a month of its jobs, and a database that stays away', async () => {
    expect((await hosts.test('nightly')).out).to.match(/ pass 2\n. fail 0/)
  })
  itLong(
    'pipeline: each of 1,000 items, one fails: 999 are kept, a retry runs one; a wrong param is refused before anything is stored',
    async () => {
      expect(await printed('pipeline/main.js')).to.match(
        /^refused: bad_request: params of DAG "pipeline": count: .*\nruns stored: 0\nRunFailed at squares: RangeError: 500 is not ready; 1000 calls\nretried: \{"of":1000,"sum":332833500\}; 1 call\n$/
      )
    }
  )
  itLong(
    'yaml-calls-host: YAML calls its function; a stranger on the home lets its run wait, and never fails it',
    async () => {
      expect(await printed('yaml-calls-host/main.js')).to.equal(`planHash of YAML and code: the same
in charge
a stranger on the home: its own run succeeded
the run of the application: waits for the function "charge"
succeeded: charge {"receipt":"R-5"}, paid {"cents":5}, pause slept
keys of charge: 1
`)
    }
  )
  itLong('release-b: of 5 runs 3 go on, one waits for a function, and one for its version', async () => {
    expect(await printed('release-b/main.js')).to.equal(`A started 5 runs
B: plain went on: by the code of release B
B: renamed went on: planned by A
B: changed went on: string 7
B: gone waits: work needs the function "gone/work", which the engine on this home does not have
B: strict waits: the run was started by version A of strict, and the application on this home has version B (onDrift: fail)
B: a start takes the plan of release B
C has the function again: gone went on: by the function of release A
A again: strict went on: only by A
`)
  })
})

describe('docs/embedding › definitions in code', () => {
  for (const [page, programs] of [
    ['README.md', ['services.js', 'order.js', 'host.js', 'order.test.js'].map((name) => `first-order/${name}`)],
    ['upgrades.md', ['release-b/main.js', 'release-b/main.js']]
  ] as const)
    it(`${page} has parts of these programs, as they are there`, () => {
      const text = readFileSync(join(PROJECT, 'docs', 'embedding', page), 'utf8')
      const snippets = [...text.matchAll(/^```js (\S+\/\S+)\n(.*?)^```$/gms)]
      expect(snippets.map(([, name]) => name)).to.deep.equal(programs)
      for (const [, name = '', snippet = ''] of snippets) {
        const lines = readFileSync(join(PROJECT, 'fixtures', 'hosts', name), 'utf8').split('\n')
        for (const line of snippet.split('\n')) expect(lines, name).to.include(line)
      }
    })
})

describe('docs/embedding › installing', function () {
  this.timeout(INSTALLING_MS)
  const folder = temporaryFolder()
  const here = (name: string) => join(folder, name)
  const put = (name: string, text: string) => writeFileSync(here(name), text)
  const node = async (name: string) =>
    (await promisify(execFile)(process.execPath, [here(name)], { cwd: folder })).stdout

  // D1555: installing is tested with npm and its registry, and skipped without them
  /** npm fetches what the package needs; the packed file is that of this checkout. Skipped, to be seen, without a registry. */
  async function installs(test: Mocha.Context, block: string): Promise<void> {
    expect(block).to.contain(PACKED)
    const { file } = await packed()
    const replaced = [
      [PACKED, file],
      ['lmdb-linux-x64', `lmdb-${process.platform}-${process.arch}`]
    ] as const
    const shell = shellIn(folder, replaced, {
      HOME: homedir(),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_prefer_offline: 'true',
      npm_config_fetch_retries: '1'
    })
    const { code, out } = await shell.paste(block)
    if (code !== 0 && isOffline(out)) test.skip()
    expect(code, out).to.equal(0)
  }

  const [whole = '', lean = '', ...others] = blocksOf('installing.md', 'sh')

  itLong('installing.md: the package, which import and require give once', async function () {
    expect(others).to.deep.equal([])
    await installs(this, whole)
    const [[imports = '', requires = ''] = []] = blocksOf('installing.md', 'js').map((text) => text.split('\n'))
    put('imported.mjs', `${imports}\nexport default createEngine\n`)
    put('required.cjs', `${requires}\nmodule.exports = createEngine\n`)
    put('both.mjs', "import a from './imported.mjs'\nimport b from './required.cjs'\nconsole.log(typeof a, a === b)\n")
    expect(await node('both.mjs')).to.equal('function true\n')
  })
  it('README.md: a package of modules with zod, in which its first program runs', async function () {
    await installs(this, blocksOf('README.md', 'sh')[0] ?? '')
    expect(existsSync(here('node_modules/zod'))).to.equal(true)
    const [program = ''] = blocksOf('README.md', 'js')
    put('first.js', program)
    expect(await node('first.js')).to.equal(`${/\.status\) \/\/ (.*)$/m.exec(program)?.[1]}\n`)
  })
  // What the package does without it is tested with the packed hosts.
  itLong('installing.md: without jq, which has the same program run', async function () {
    await installs(this, lean)
    expect(existsSync(here('node_modules/jq-wasm'))).to.equal(false)
    expect(await node('first.js')).to.equal('succeeded\n')
  })
})
