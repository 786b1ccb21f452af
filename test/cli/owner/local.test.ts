/** The owner's socket, asked directly. */
import { execFileSync } from 'node:child_process'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { connectToOwner } from '../../../src/cli/owner/client.ts'
import { ownerSockets } from '../../support/api/owner-sockets.ts'
import { handClock, settled } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

function ask(
  socketPath: string,
  method: string,
  path: string,
  body?: string
): Promise<{ status?: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, method, path, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode, text })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

describe('socket of the owner', () => {
  const { served } = ownerSockets()

  it('serves the normal API beside the local routes', async () => {
    const { engine, path } = await served()
    engine.addRun({ name: 'etl', dagRunId: 'r1' })
    const { status, text } = await ask(path, 'GET', '/api/v2/dag-runs/etl/r1')
    expect(status).to.equal(200)
    expect(JSON.parse(text).dagRun).to.include({ dagRunId: 'r1', statusLabel: 'succeeded' })
  })

  it('an internal error says its cause: the caller is the user who runs the process', async () => {
    const { engine, path } = await served()
    engine.facts.charts = () => {
      throw new Error('the disk is gone')
    }
    const { status, text } = await ask(path, 'GET', '/api/v2/machines')
    expect([status, JSON.parse(text)]).to.deep.equal([500, { code: 'internal_error', message: 'the disk is gone' }])
  })

  it('what is of the wrong kind is refused, and by its field', async () => {
    const { engine, path } = await served()
    for (const [route, body, message] of [
      ['start', '{"file":"/etl.yaml","unlimited":1}', 'unlimited: wanted true or false, found 1'],
      ['start', '{"fromRun":"r1"}', 'fromRun: wanted an object, found "r1"'],
      ['start', '{"fromRun":{"name":"etl"}}', 'dagRunId: wanted a string, found none'],
      ['start', '{"file":"etl.yaml"}', 'file: wanted an absolute path, found "etl.yaml"'],
      ['enqueue', '{}', 'file: wanted a string, found none'],
      ['retry', '{"name":"etl"}', 'dagRunId: wanted a string, found none']
    ] as const) {
      const { text } = await ask(path, 'POST', `/local/${route}`, body)
      expect(JSON.parse(text)).to.deep.equal({ code: 'bad_request', message })
    }
    expect(engine.started).to.deep.equal([])
  })

  it('null is nothing: an optional member that is not there, a needed one that is missing', async () => {
    const { path } = await served()
    const asked = async (body: object) =>
      JSON.parse((await ask(path, 'POST', '/local/start', JSON.stringify(body))).text).message
    expect(await asked({ file: null, fromRun: null })).to.equal('file: wanted a string, found none')
    const optional = { fromRun: null, params: null, dagRunId: null, unlimited: null, noQueue: null }
    expect(await asked({ file: 'etl.yaml', ...optional })).to.equal('file: wanted an absolute path, found "etl.yaml"')
  })

  it('a definition that is a pipe, as `<(...)` is, is refused at once: the engine does not wait for who writes into it', async () => {
    const { path } = await served()
    const pipe = join(temporaryFolder(), 'etl.yaml')
    execFileSync('mkfifo', [pipe])
    const { status, text } = await ask(path, 'POST', '/local/definition', JSON.stringify({ file: pipe }))
    expect([status, JSON.parse(text)]).to.deep.equal([
      400,
      { code: 'not_found', message: 'the definition etl.yaml cannot be read: wanted a file, found a pipe' }
    ])
  })

  it('GET /local/tree streams a run and its sub DAG runs, with their places, and no other', async () => {
    const { engine, path } = await served()
    const key = await engine.start({ file: '/etl.yaml' })
    const caller = { root: key, parent: key, step: 'first', runAttempt: 1, attempt: 1, depth: 1 }
    const sub = { name: 'kid', dagRunId: 'k1' }
    const answer = ask(path, 'GET', `/local/tree?${new URLSearchParams({ ...key })}`)
    await settled()
    engine.addRun({ ...sub, status: 'running', createdAt: 1, nodeLogs: '/logs/kid', caller })
    engine.addRun({ name: 'kid', dagRunId: 'k2', status: 'running', createdAt: 1, caller: { ...caller, root: sub } })
    for (const dagRunId of ['k1', 'k2']) engine.emit({ name: 'kid', dagRunId }, { step: 'say', status: 'running' })
    engine.end(key, 'succeeded')
    const lines = (await answer).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ event, place }) => [event?.step, place])).to.deep.equal([
      ['say', { key: sub, nodeLogs: '/logs/kid', caller: { parent: key, step: 'first' } }],
      [undefined, { key, nodeLogs: engine.run(key)?.run.nodeLogs }],
      [undefined, undefined]
    ])
    expect(lines.at(-1)).to.deep.equal({ ended: true })
  })

  it('answers what cannot be with the Error object', async () => {
    const { path } = await served()
    for (const [method, url, body, code, words] of [
      ['GET', '/local/tree', undefined, 'bad_request', 'name: wanted a string, found none'],
      ['GET', '/local/nothing', undefined, 'not_found', 'no such path: GET /local/nothing'],
      ['GET', '/local/__proto__', undefined, 'not_found', 'no such path'],
      ['POST', '/local/start', '{"file":"etl.yaml"}', 'bad_request', 'file: wanted an absolute path, found "etl.yaml"'],
      ['POST', '/local/start', '{"file":5}', 'bad_request', 'file: wanted a string, found 5'],
      ['POST', '/local/start', '[]', 'bad_request', 'wanted a JSON object'],
      ['POST', '/local/stop', '{', 'bad_request', 'malformed JSON'],
      ['POST', '/local/stop', `{"name":"${'x'.repeat(2 ** 21)}"}`, 'bad_request', 'wanted at most 2097152 bytes'],
      ['POST', '/local/definition', '{"file":"/no/such.yaml"}', 'not_found', 'the definition such.yaml cannot be read'],
      ['GET', '/local/tree?name=etl&dagRunId=r1', undefined, 'not_found', 'there is no run r1 of etl']
    ] as const) {
      const { status, text } = await ask(path, method, url, body)
      expect(status, url).to.equal(400)
      const error = JSON.parse(text)
      expect(error.code, text).to.equal(code)
      expect(error.message).to.contain(words)
    }
  })

  it('survives requests that are none', async () => {
    const { path } = await served()
    for (const url of ['//', '/local/%', '/local/tree?%', '/%zz'])
      expect((await ask(path, 'GET', url)).status, url).to.be.within(400, 499)
  })

  it('a client that does not read is dropped; the engine does not wait for it', async () => {
    const { engine, path } = await served()
    const key = await engine.start({ file: '/etl.yaml' })
    const socket = connect(path)
    socket.on('error', () => {})
    const gone = new Promise((resolve) => socket.on('close', resolve))
    socket.write(`GET /local/tree?name=etl&dagRunId=${key.dagRunId} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await settled()
    socket.pause()
    for (let count = 0; count < 40; count++) engine.emit(key, { event: 'x'.repeat(2 ** 20) })
    socket.resume()
    await gone
  })

  it('a client that connected before the close is answered; later ones do not find it', async () => {
    const { path, close } = await served()
    const socket = connect(path)
    let said = ''
    socket.setEncoding('utf8').on('data', (text) => {
      said += text
    })
    const closed = close()
    expect(await connectToOwner(path, handClock())).to.equal(undefined)
    socket.write('GET /local/engine HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await new Promise((resolve) => socket.on('close', resolve))
    expect(said).to.match(/^HTTP\/1.1 200 OK/)
    await closed
  })
})
