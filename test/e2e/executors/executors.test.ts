/** Executors inside the engine, in one workflow. Source: execution-semantics 10. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('executors inside the engine › workflows', () => {
  const live = liveEngine()
  const calls: string[] = []
  const server = createServer(({ method, url }, response) => {
    calls.push(`${method} ${url}`)
    response.end('[1, 2, 3]')
  })
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'))
  after(() => void server.close())

  it('http to jq to archive: each sees the output of the one before', async () => {
    const folder = temporaryFolder()
    const spec = `
      workingDir: ${folder}
      params: 'who="the world"'
      steps:
        - name: get
          executor: {type: http, config: {silent: true, query: {q: "\${who}"}}}
          command: GET http://127.0.0.1:${(server.address() as AddressInfo).port}/items
          output: ITEMS
        - name: filter
          executor: {type: jq, config: {raw: true}}
          command: '[.[] | select(. > 1)] as $x | $x | length'
          script: \${ITEMS}
          output: COUNT
        - name: keep
          command: mkdir data && echo "\${COUNT} \${who}" > data/count
        - name: pack
          executor: {type: archive, config: {source: data, destination: "\${who}.tar.gz"}}
          command: create
          output: PACKED
        - name: show
          command: echo "\${PACKED.filesAdded}"
    `
    const run = await live.run(spec)
    expect(run.status, run.err('pack')).to.equal('succeeded')
    expect(calls).to.deep.equal(['GET /items?q=the+world'])
    expect(run.node('filter').output).to.equal('2')
    expect(existsSync(join(folder, 'the world.tar.gz'))).to.equal(true)
    expect(run.out('show')).to.equal('1\n')
  })
})
