/**
 * What holds for every executor that works inside the engine, and for calls: config is expanded, secrets are masked in all they
 * print, a stop ends them in time. The same of shell, docker, ssh and gha is in the files of their names. Source:
 * definition-format "Executors", execution-semantics 3.3, 7.3, 10, 14.4.
 */
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

const HUSH = 'hush-hush'

describe('every executor', () => {
  const live = liveEngine()
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'token'), HUSH)
  const head = `
workingDir: ${folder}
params: "WHO=world"
secrets: [{name: TOKEN, provider: file, key: ${folder}/token}]
`
  const portOf = (server: Server) => (server.address() as AddressInfo).port
  let answer: RequestListener = () => {}
  const web = createServer((request, response) => answer(request, response))
  /** Takes connections and says nothing. */
  const silent = createTcpServer(() => {})
  let mails: string[] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString())
        done()
      })
    }
  })
  before(async () => {
    for (const server of [web, silent, smtp.listen(0, '127.0.0.1')]) {
      if (server !== smtp.server) server.listen(0, '127.0.0.1')
      if (!server.listening) await once(server, 'listening')
    }
  })
  after(() => {
    web.closeAllConnections()
    web.close()
    silent.close()
    smtp.close()
  })

  describe('3.3 config is expanded; 14.4.6 secrets are masked in everything it prints', () => {
    it('http: in the request, and in what the server sends back', async () => {
      let heard = ''
      answer = (request, response) => {
        heard = `${request.url} ${request.headers['x-token']}`
        response.setHeader('X-Echo', String(request.headers['x-token'])).writeHead(404).end(`no ${heard}`)
      }
      const config = '{headers: {X-Token: "${TOKEN}"}, query: {who: "${WHO}"}, debug: true}'
      const command = `GET http://127.0.0.1:${portOf(web)}/\${TOKEN}`
      const run = await live.run(
        `${head}\nsteps: [{name: a, executor: {type: http, config: ${config}}, command: "${command}"}]`
      )
      expect(heard).to.equal(`/${HUSH}?who=world ${HUSH}`)
      expect(run.out('a')).to.include('X-Echo: *******').and.include('no /*******?who=world *******')
      expect(run.out('a') + run.err('a') + run.node('a').error).not.to.include(HUSH)
    })
    it('jq: in its results, and in its messages', async () => {
      const run = await live.run(`${head}
type: graph
steps:
  - {name: a, executor: {type: jq, config: {raw: "\${RAW}"}}, env: [RAW: "true"], command: .a, script: '{"a": "\${TOKEN} of \${WHO}"}'}
  - {name: b, executor: jq, command: error(.), script: '"\${TOKEN}"'}
`)
      expect(run.out('a'), run.err('a')).to.equal('******* of world\n')
      expect(run.err('b')).to.include('*******')
      expect(run.err('b') + run.node('b').error).not.to.include(HUSH)
    })
    it('archive: in the names that it lists', async () => {
      const config = '{source: "${TOKEN}.txt", destination: "${WHO}.tar", verbose: true}'
      writeFileSync(join(folder, `${HUSH}.txt`), 'x')
      const run = await live.run(
        `${head}\nsteps: [{name: a, executor: {type: archive, config: ${config}}, command: create}]`
      )
      expect(existsSync(join(folder, 'world.tar')), run.err('a')).to.equal(true)
      expect(run.out('a')).to.include('"source"').and.include('*******.txt')
      expect(run.out('a') + run.err('a')).not.to.include(HUSH)
    })
    it('mail: in what it says of the mail, not in the mail', async () => {
      mails = []
      const config =
        '{from: a@x.test, to: "${WHO}@x.test", subject: "for ${WHO}", message: "${TOKEN}", contentType: text/plain}'
      const run = await live.run(`${head}
smtp: {host: 127.0.0.1, port: "${portOf(smtp.server)}"}
steps: [{name: a, executor: {type: mail, config: ${config}}}]
`)
      expect(run.status, run.err('a')).to.equal('succeeded')
      expect(run.out('a')).to.include('for world').and.include('*******').and.not.include(HUSH)
      expect(mails).to.have.length(1)
      expect(mails[0]).to.include('for world').and.include(Buffer.from(HUSH).toString('base64').slice(0, 8))
    })
    it('dag: in the result of a workflow that prints it', async function () {
      this.retries(WHEN_BUSY)
      const run = await live.run(`${head}
steps: [{name: a, executor: dag, command: "child", params: "X=\${WHO}", output: RESULT}]
---
name: child
params: "X="
secrets: [{name: TOKEN, provider: file, key: ${folder}/token}]
steps: [{command: 'echo "$TOKEN"', output: SEEN}]
`)
      expect(run.status, run.node('a').error).to.equal('succeeded')
      expect(run.out('a')).to.include('"params": "X=world"').and.include('"SEEN": "*******"').and.not.include(HUSH)
    })
  })

  describe('7.3.3 a stop ends it within maxCleanUpTimeSec + 1 s', () => {
    const cleanUpSec = 1
    /** Stops a run once `begun`, and says how many ms it took to end. */
    async function stopped(spec: string, begun: () => unknown): Promise<number> {
      const key = await live.start(`maxCleanUpTimeSec: ${cleanUpSec}\n${head}\n${spec}`)
      await eventually('its start', () => begun() || undefined)
      const asked = performance.now()
      await live.engine.stop(key)
      const run = await live.ended(key)
      expect([run.status, ...run.statuses]).to.deep.equal(['canceled', 'canceled'])
      return performance.now() - asked
    }
    const inTime = (ms: number) => expect(ms).to.be.lessThan(cleanUpSec * 1_000 + 1_000)

    it('http: a server that does not answer', async () => {
      let asked = false
      answer = () => {
        asked = true
      }
      inTime(await stopped(`steps: [{executor: http, command: "GET http://127.0.0.1:${portOf(web)}"}]`, () => asked))
    })
    it('mail: a server that says nothing', async () => {
      let connected = false
      silent.once('connection', () => {
        connected = true
      })
      const config = '{from: a@x.test, to: b@x.test}'
      const spec = `smtp: {host: 127.0.0.1, port: ${portOf(silent)}}\nsteps: [{executor: {type: mail, config: ${config}}}]`
      inTime(await stopped(spec, () => connected))
    })
    it('jq: a filter that never ends', async () => {
      const begun = Date.now()
      const spec = `steps: [{executor: jq, command: 'last(repeat(1))', script: '1'}]`
      inTime(await stopped(spec, () => Date.now() - begun > 500))
    })
    it('archive: one that is being made, of which nothing is left', async () => {
      writeFileSync(join(folder, 'large'), Buffer.alloc(400e6, 'x'))
      const made = () => readdirSync(folder).filter((name) => name.startsWith('made.tar.gz'))
      const config = '{source: large, destination: made.tar.gz}'
      const spec = `steps: [{executor: {type: archive, config: ${config}}, command: create}]`
      inTime(await stopped(spec, () => made().length > 0))
      expect(made()).to.deep.equal([])
    })
    it('dag: a workflow whose step does not listen', async () => {
      const mark = join(folder, 'deaf')
      const spec = `steps: [{executor: dag, command: child}]
---
name: child
maxCleanUpTimeSec: 60
steps: ["trap '' TERM; echo >${mark}; while true; do sleep 0.1; done"]
`
      inTime(await stopped(spec, () => existsSync(mark) && readFileSync(mark, 'utf8')))
    })
  })
})
