/** Applications on the package as it is published: mounted, in one process with another, from CommonJS, bundled. Source: embedding 4, 5. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { build } from 'esbuild'
import { temporaryFolder } from '../../support/homes.ts'
import { type Hosts, installedHosts } from '../../support/hosts/packed.ts'
import { itLong, ofAll, oneIn } from '../../support/long.ts'
import { PROJECT } from '../../support/project.ts'

const PRINTED = `own /health: ok
a stranger: 401
the page: 200 /flows/api/v2
its script: 200
without the slash: 302
a foreign Origin: 403
POST from the page: 200
a wrong body: 400
the event stream through the prefix: 200 until the run has succeeded
the run: succeeded
a guest reads: 200
a guest starts: 403
no such path below the mount: 404
after close(): the stream has ended, own /health ok
`

const EVERY_PACKAGE = `shell: succeeded
http: failed GET http://127.0.0.1:1/: connect ECONNREFUSED 127.0.0.1:1
mail: failed 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1
ssh: failed ssh a@127.0.0.1:1: the connection failed: nothing listens at this port; is its SSH server running, and is \`port\` right?
docker: failed the Docker engine cannot be reached: connect ECONNREFUSED 127.0.0.1:1; is it running, and is DOCKER_HOST right?
tar: succeeded
zip: succeeded
list: succeeded
spans: sent
`

/** Ten of each order. */
const SIGNALS = ofAll(1_000, 10_000)
const HOSTS = {
  Express: 'express-flows',
  Fastify: 'fastify-flows',
  Koa: 'koa-flows',
  'Request and Response': 'next-fetch'
}

describe('host applications', () => {
  let hosts: Hosts
  before(async () => {
    hosts = await installedHosts({ more: ['express', 'fastify', 'koa'] })
  })

  for (const [framework, name] of oneIn(4, Object.entries(HOSTS)))
    it(`${framework}: own login, page at /flows, its POST, a foreign Origin, events through the prefix, own routes untouched`, async () => {
      expect((await hosts.run(`${name}/main.js`)).out).to.equal(PRINTED)
    })

  it('two engines in one process do not know each other, the same home twice is refused by name, and nothing is left of them', async () => {
    const { out, err } = await hosts.run('two-engines/main.js')
    expect(out).to.equal(`listeners while both are open: as before
engine 1: of-1 succeeded, runs of the other: 0
engine 2: of-2 succeeded, runs of the other: 0
the same home twice: service_unavailable: this home is in use by the engine with process id PID, which is this process: /one is open here already; close that engine first, or give another home
listeners after close(): as before
globals after close(): as before
variables after close(): as before
handles after close(): as before
`)
    expect(err).to.match(/^RSS \d+ MB, CPU \d+ ms\n$/)
  })

  itLong(
    `${SIGNALS} signals that are waited for: RSS and CPU are printed, waiting takes next to no CPU, and each one can still be given`,
    async () => {
      const { out, err } = await hosts.run('two-engines/waiting.js', String(SIGNALS / 10))
      expect(out).to.equal(
        `waiting signals: ${SIGNALS}\norder-0 has its signals: succeeded\nwaiting signals: ${SIGNALS - 10}\n`
      )
      const found = /^started: CPU \d+ ms\nRSS (\d+) MB, before (\d+) MB\nCPU of (\d+) ms: (\d+) ms\n$/.exec(err)
      const [rss = Number.POSITIVE_INFINITY, before = 0, watched = 0, used = watched] =
        found?.slice(1).map(Number) ?? []
      // Far above what they take: the collector gives memory back when it likes. `make bench` has the figures.
      expect(rss - before, err).to.be.below(200)
      expect(used / watched, err).to.be.below(0.1)
    }
  )

  itLong('a bar of its own, made of events, goes on after a restart without a gap or a repetition', async () => {
    const home = temporaryFolder()
    const first = await hosts.run('cli-progress/main.js', home)
    expect(first.out).to.equal('[#.....] part-1\n[##....] part-2\n[###...] part-3\nno gap, no repetition\n')
    const second = await hosts.run('cli-progress/main.js', home)
    expect(second.out).to.equal('[####..] part-4\n[#####.] part-5\n[######] part-6\nno gap, no repetition\nsucceeded\n')
  })

  it('from CommonJS and without optional dependencies: what is missing is named where a definition asks for it, and each package inside is there', async () => {
    const lean = await installedHosts({ lean: true })
    expect(readdirSync(join(lean.folder, 'node_modules')).sort()).to.deep.equal([
      '@standard-schema',
      'lmdb',
      'troupe',
      'undici'
    ])
    const [first, ...others] = (await lean.run('every-package/main.js')).out.split('\n')
    expect(first).to.match(
      /executor type "jq" needs the package jq-wasm, which is not installed: npm install jq-wasm@\S+/
    )
    expect(others.join('\n')).to.equal(EVERY_PACKAGE)
  })

  it('a bundle of esbuild with `external: [troupe]` runs', async () => {
    const entry = join(hosts.folder, 'next-fetch', 'main.js')
    const outfile = join(hosts.folder, 'next-fetch', 'bundled.mjs')
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', external: ['troupe'] })
    expect((await hosts.run('next-fetch/bundled.mjs')).out).to.equal(PRINTED)
  })

  it('importing loads no other package, writes nothing, and starts nothing', async () => {
    const { out } = await hosts.run('import-only/main.js')
    const { packages, files, megabytes } = JSON.parse(out)
    expect(packages).to.deep.equal([])
    expect(files).to.be.below(100) // of 317 when each module was a file
    expect(megabytes).to.be.below(25)
  })
})

describe('docs/embedding/mounting.md', () => {
  const page = readFileSync(join(PROJECT, 'docs', 'embedding', 'mounting.md'), 'utf8')
  const snippets = [...page.matchAll(/^```js (\S+)\n(.*?)^```$/gms)]
  it('has a part of each of these programs, as it is there', () => {
    expect(snippets.map(([, name]) => name)).to.have.members(Object.values(HOSTS))
    for (const [, name = '', text = ''] of snippets) {
      const lines = readFileSync(join(PROJECT, 'fixtures', 'hosts', name, 'main.js'), 'utf8').split('\n')
      for (const line of text.split('\n')) expect(lines, name).to.include(line)
    }
  })
})
