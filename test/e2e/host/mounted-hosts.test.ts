/** Applications that have their workflows at /flows, on the package as it is published. Source: embedding 4, programs 3 to 6. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Hosts, installedHosts } from '../../support/hosts/packed.ts'
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

const HOSTS = {
  Express: 'express-flows',
  Fastify: 'fastify-flows',
  Koa: 'koa-flows',
  'Request and Response': 'next-fetch'
}

describe('host applications › mounting', () => {
  let hosts: Hosts
  before(async () => {
    hosts = await installedHosts({ more: ['express', 'fastify', 'koa'] })
  })
  for (const [framework, name] of Object.entries(HOSTS))
    it(`${framework}: own login, page at /flows, its POST, a foreign Origin, events through the prefix, own routes untouched`, async () => {
      expect(await hosts.run(`${name}/main.js`)).to.equal(PRINTED)
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
