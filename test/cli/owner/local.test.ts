/** The owner's socket, asked directly. */
import { execFileSync } from 'node:child_process'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { connectToOwner } from '../../../src/cli/owner/client.ts'
import { served as servedApi } from '../../api/client.ts'
import { ownerSockets } from '../../support/api/owner-sockets.ts'
import { handClock, settled } from '../../support/cli/fake-cli-engine.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'
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

  it('what is of the wrong kind is refused, and by its field; null is nothing', async () => {
    const { engine, path } = await served()
    const nothing = { fromRun: null, params: null, dagRunId: null, unlimited: null, noQueue: null }
    for (const [route, body, message] of [
      ['start', { file: '/etl.yaml', unlimited: 1 }, "field 'unlimited': wanted a boolean, found a number"],
      ['start', { fromRun: 'r1' }, "field 'fromRun': wanted an object, found a string"],
      ['start', { file: 'etl.yaml' }, 'file: wanted an absolute path, found "etl.yaml"'],
      ['start', { file: 'etl.yaml', ...nothing }, 'file: wanted an absolute path, found "etl.yaml"'],
      ['start', { file: null }, 'file: wanted an absolute path, found ""'],
      ['start', { file: 5 }, "field 'file': wanted a string, found a number"],
      ['enqueue', {}, "field 'file': required"],
      ['dag-runs/etl/latest/retry', {}, 'latest can only be read'],
      ['dag-runs/e%20l/stop', {}, 'name: '],
      ['validate', { file: '/no/such.yaml' }, 'the definition such.yaml cannot be read'],
      ['nothing', {}, 'no such path']
    ] as const) {
      const { status, text } = await ask(path, 'POST', `/owner/${route}`, JSON.stringify(body))
      expect(JSON.parse(text).message, route).to.contain(message)
      expect(status).to.be.within(400, 404)
    }
    expect(engine.started).to.deep.equal([])
  })

  it('a definition that is a pipe, as `<(...)` is, is refused at once: the engine does not wait for who writes into it', async () => {
    const { path } = await served()
    const pipe = join(temporaryFolder(), 'etl.yaml')
    execFileSync('mkfifo', [pipe])
    const { status, text } = await ask(path, 'POST', '/owner/validate', JSON.stringify({ file: pipe }))
    expect([status, JSON.parse(text)]).to.deep.equal([
      404,
      { code: 'not_found', message: 'the definition etl.yaml cannot be read: wanted a file, found a pipe' }
    ])
  })

  it('no server has the operations of the owner', async () => {
    const api = await servedApi(fakeEngine())
    const { status } = await api.callAt('POST', '/owner/start', { body: { file: '/etl.yaml' } })
    await api.close()
    expect(status).to.equal(404)
  })

  it('a command of an older release is told what to do, and so is one whose engine is older', async () => {
    const { home, path } = await served()
    const { text } = await ask(path, 'POST', '/local/start', '{"file":"/etl.yaml"}')
    expect(JSON.parse(text).message).to.contain(
      'the engine of this home is of a newer release of Troupe than this command: use its command'
    )
    const older = createServer((_request, response) => void response.end(JSON.stringify({ home })))
    const place = join(home, 'older.sock')
    await new Promise<void>((resolve) => void older.listen(place, resolve))
    const error = await connectToOwner(place, handClock()).catch((error: Error) => error.message)
    older.close()
    expect(error).to.equal(
      `the engine of the home ${home} is of an older release of Troupe than this command: restart it, or use its command`
    )
  })

  it('GET /owner/dag-runs/{name}/{dagRunId}/tree streams a run and its sub DAG runs, with their places, and no other', async () => {
    const { engine, path } = await served()
    const key = await engine.start({ file: '/etl.yaml' })
    const caller = { root: key, parent: key, step: 'first', runAttempt: 1, attempt: 1, depth: 1 }
    const sub = { name: 'kid', dagRunId: 'k1' }
    const answer = ask(path, 'GET', `/owner/dag-runs/${key.name}/${key.dagRunId}/tree`)
    await settled()
    engine.addRun({ ...sub, status: 'running', createdAt: 1, nodeLogs: '/logs/kid', caller })
    engine.addRun({ name: 'kid', dagRunId: 'k2', status: 'running', createdAt: 1, caller: { ...caller, root: sub } })
    for (const dagRunId of ['k1', 'k2']) engine.emit({ name: 'kid', dagRunId }, { step: 'say', status: 'running' })
    engine.end(key, 'succeeded')
    const lines = (await answer).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[0]).to.deep.equal({})
    expect(lines.slice(1).map(({ event, place }) => [event?.step, place])).to.deep.equal([
      ['say', { key: sub, nodeLogs: '/logs/kid', caller: { parent: key, step: 'first' } }],
      [undefined, { key, nodeLogs: engine.run(key)?.run.nodeLogs }],
      [undefined, undefined]
    ])
    expect(lines.at(-1)).to.deep.equal({ ended: true })
  })

  it('answers what cannot be with the Error object', async () => {
    const { path } = await served()
    for (const [method, url, body, code, words] of [
      ['GET', '/owner/nothing', undefined, 'not_found', 'no such path'],
      ['GET', '/owner/__proto__', undefined, 'not_found', 'no such path'],
      ['POST', '/owner/start', '[]', 'bad_request', 'wanted a JSON object'],
      ['POST', '/owner/start', '{', 'bad_request', 'malformed JSON'],
      ['POST', '/owner/start', `{"file":"${'x'.repeat(2 ** 21)}"}`, 'bad_request', 'wanted at most 2097152 bytes'],
      ['GET', '/owner/dag-runs/etl/r1/tree', undefined, 'not_found', 'there is no run r1 of etl']
    ] as const) {
      const error = JSON.parse((await ask(path, method, url, body)).text)
      expect(error.code, url).to.equal(code)
      expect(error.message).to.contain(words)
    }
  })

  it('has a stream of events for each command that follows a run, however many there are', async () => {
    const { engine, path } = await served()
    const { dagRunId } = await engine.start({ file: '/etl.yaml' })
    const asked = Array.from({ length: 70 }, () =>
      request({ socketPath: path, path: `/api/v2/dag-runs/etl/${dagRunId}/events`, agent: false }).end()
    )
    const statuses = await Promise.all(
      asked.map((one) => new Promise((resolve) => one.once('response', ({ statusCode }) => resolve(statusCode))))
    )
    for (const one of asked) one.on('error', () => {}).destroy()
    expect(new Set(statuses)).to.deep.equal(new Set([200]))
  })

  it('survives requests that are none', async () => {
    const { path } = await served()
    for (const url of ['//', '/local/%', '/owner/start?%', '/%zz'])
      expect((await ask(path, 'GET', url)).status, url).to.be.within(400, 499)
  })

  it('a client that does not read is dropped; the engine does not wait for it', async () => {
    const { engine, path } = await served()
    const key = await engine.start({ file: '/etl.yaml' })
    const socket = connect(path)
    socket.on('error', () => {})
    const gone = new Promise((resolve) => socket.on('close', resolve))
    socket.write(`GET /owner/dag-runs/etl/${key.dagRunId}/tree HTTP/1.1\r\nHost: localhost\r\n\r\n`)
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
