/** Applications with definitions in code, on the package as it is published. Source: embedding 4, programs 1, 2, 10, 12. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { type Hosts, installedHosts } from '../../support/hosts/packed.ts'
import { PROJECT } from '../../support/project.ts'
import { eventually } from '../../support/waiting.ts'

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
      const answer = await fetch(`${address}/api/v2/dag-runs/order/order-1/steps/approve/signal`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ payload: { approved: true } })
      })
      expect(answer.status).to.equal(200)
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
  it('pipeline: each of 1,000 items, one fails: 999 are kept, a retry runs one; a wrong param is refused before anything is stored', async () => {
    expect(await printed('pipeline/main.js')).to.match(
      /^refused: bad_request: params of DAG "pipeline": count: .*\nruns stored: 0\nRunFailed at squares: RangeError: 500 is not ready; 1000 calls\nretried: \{"of":1000,"sum":332833500\}; 1 call\n$/
    )
  })
  it('yaml-calls-host: YAML calls its function; a stranger on the home lets its run wait, and never fails it', async () => {
    expect(await printed('yaml-calls-host/main.js')).to.equal(`planHash of YAML and code: the same
in charge
a stranger on the home: its own run succeeded
the run of the application: waits for the function "charge"
succeeded: charge {"receipt":"R-5"}, paid {"cents":5}, pause slept
keys of charge: 1
`)
  })
  it('release-b: of 5 runs 3 go on, one waits for a function, and one for its version', async () => {
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
