/** Executors inside the engine, as workflows use them: output, retry, time limits, stop, kill -9. Source: execution-semantics 6.1.8, 6.1.9, 7.3.10, 10, 13.5.3. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { createEngine } from '../../../src/index.ts'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

const child = fileURLToPath(new URL('../../support/engine/engine-child.js', import.meta.url))

describe('executors inside the engine › workflows', () => {
  const live = liveEngine()
  let server: Server
  let base = ''
  let calls: string[] = []
  let answer: RequestListener = () => {}
  before(async () => {
    server = createServer((request, response) => {
      calls.push(`${request.method} ${request.url}`)
      answer(request, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    calls = []
  })

  it('http to jq to archive: each sees the output of the one before', async () => {
    const folder = temporaryFolder()
    const spec = `
      workingDir: ${folder}
      params: 'who="the world"'
      steps:
        - name: get
          executor: {type: http, config: {silent: true, query: {q: "\${who}"}}}
          command: GET ${base}/items
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
    answer = (_, response) => response.end('[1, 2, 3]')
    const run = await live.run(spec)
    expect(run.statuses, run.err('pack')).to.deep.equal([
      'succeeded',
      'succeeded',
      'succeeded',
      'succeeded',
      'succeeded'
    ])
    expect(calls).to.deep.equal(['GET /items?q=the+world'])
    expect(run.node('filter').output).to.equal('2')
    expect(existsSync(join(folder, 'the world.tar.gz'))).to.equal(true)
    expect(run.out('show')).to.equal('1\n')
  })
  it('6.1.9: retryPolicy works; 4.5.5: output is that of the last attempt; 4.5.10: the error ends with stderr', async () => {
    const spec = `
      steps:
        - name: get
          executor: {type: http, config: {silent: true}}
          command: GET ${base}/flaky
          output: OUT
          retryPolicy: {limit: 2}
        - name: fails
          executor: http
          command: GET ${base}/fails
    `
    answer = (request, response) => {
      response.statusCode = request.url === '/flaky' && calls.length === 3 ? 200 : 503
      response.end(`try ${calls.length}`)
    }
    const run = await live.run(spec)
    expect(run.node('get')).to.include({ status: 'succeeded', retryCount: 2, output: 'try 3' })
    expect(run.node('fails')).to.include({ status: 'failed', exitCode: 1 })
    expect(run.node('fails').error).to.match(/exit status 1\nrecent stderr \(tail\):\nhttp status code not 2xx: 503$/)
  })
  it('7.1.4: a step time limit ends the request: 124; 6.1.8: not retried', async () => {
    const spec = `
      steps:
        - {name: slow, executor: http, command: "GET ${base}/slow", timeoutSec: 1, retryPolicy: {limit: 3}}
    `
    answer = () => {}
    const run = await live.run(spec)
    expect(run.node('slow')).to.include({ status: 'failed', exitCode: 124, retryCount: 0 })
    expect(calls).to.have.length(1)
  })
  it('7.3.10: a stop aborts the request at once, the run is canceled', async function () {
    this.retries(WHEN_BUSY)
    const spec = `steps: [{name: slow, executor: http, command: "GET ${base}/slow"}]`
    answer = () => {}
    const key = await live.start(spec)
    await eventually('the request', () => (calls.length > 0 ? true : undefined))
    const asked = performance.now()
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(performance.now() - asked).to.be.lessThan(2_000)
    expect(run.status).to.equal('canceled')
    expect(run.node('slow')).to.include({ status: 'canceled', error: 'signal: terminated' })
  })
  it('a mail step uses the smtp of the DAG; 4.5.2: stdout gets a copy; a handler may send mail too', async () => {
    const arrived: string[] = []
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, _, done) {
        let raw = ''
        stream.on('data', (chunk) => {
          raw += chunk
        })
        stream.on('end', () => {
          arrived.push(/^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? '')
          done()
        })
      }
    })
    smtp.listen(0, '127.0.0.1')
    await once(smtp.server, 'listening')
    const folder = temporaryFolder()
    const spec = `
      name: mailer
      smtp: {host: 127.0.0.1, port: "${(smtp.server.address() as AddressInfo).port}"}
      handlerOn:
        success:
          executor: {type: mail, config: {from: a@x.test, to: b@x.test, subject: "done \${DAG_RUN_STATUS}", message: m}}
      steps:
        - name: mail
          stdout: ${folder}/copy
          executor: {type: mail, config: {from: a@x.test, to: [b@x.test], subject: "of \${DAG_NAME}", message: m}}
    `
    try {
      const run = await live.run(spec)
      expect(run.status, run.err('mail')).to.equal('succeeded')
      expect(arrived).to.deep.equal(['of mailer', 'done succeeded'])
      expect(readFileSync(join(folder, 'copy'), 'utf8'))
        .to.equal(run.out('mail'))
        .and.include('sending email succeed.')
    } finally {
      await new Promise<void>((resolve) => smtp.close(() => resolve()))
    }
  })

  describe('kill -9 of the engine in the middle of a request', () => {
    async function killed(home: string, spec: string): Promise<void> {
      writeFileSync(join(home, 'spec.yaml'), spec)
      const engine = spawn(process.execPath, [child, home, join(home, 'spec.yaml'), 'r1'], {
        stdio: ['ignore', 'pipe', 'inherit']
      })
      await once(engine.stdout, 'data')
      await eventually('the request', () => (calls.length > 0 ? true : undefined))
      engine.kill('SIGKILL')
      await once(engine, 'exit')
    }
    const specOf = (more: string) =>
      `name: killed\nsteps: [{name: get, executor: {type: http, config: {silent: true}}, command: "GET ${base}/once", output: OUT${more}}]`
    const resumed = async (home: string) => {
      const engine = await createEngine({ home })
      try {
        return await engine.result({ name: 'killed', dagRunId: 'r1' })
      } finally {
        await engine.close()
      }
    }

    it('13.5.3: it counts as failed with `interrupted: outcome unknown`, and the request is not sent again', async () => {
      const home = temporaryFolder()
      answer = () => {}
      await killed(home, specOf(''))
      answer = (_, response) => response.end('again')
      const { run, nodes } = await resumed(home)
      expect(run.status).to.equal('failed')
      expect(nodes[0]?.node.error).to.include('interrupted: outcome unknown')
      expect(calls).to.have.length(1)
    })
    it('13.5.3: retryPolicy decides', async () => {
      const spec = specOf(', retryPolicy: {limit: 1}')
      const home = temporaryFolder()
      answer = () => {}
      await killed(home, spec)
      answer = (_, response) => response.end('again')
      const { run, nodes } = await resumed(home)
      expect(run.status).to.equal('succeeded')
      expect(nodes[0]?.node).to.include({ output: 'again', retryCount: 1 })
      expect(calls).to.have.length(2)
    })
  })
})
