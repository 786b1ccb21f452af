/** The owner's socket, asked directly and through the client of the command line. */
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import type { FollowedRun } from '../../src/api/door.ts'
import { serveLocal } from '../../src/api/local.ts'
import { type ClientDoor, knock } from '../../src/cli/client.ts'
import type { EngineEvent, RunView } from '../../src/engine.ts'
import { TroupeError } from '../../src/errors.ts'
import { fakeCliEngine, handClock, nodeChanges, settled } from '../support/fake-cli-engine.ts'
import { temporaryFolder } from '../support/homes.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(() => Promise.all(closers.splice(0).map((close) => close())))

async function served() {
  const home = temporaryFolder()
  const engine = fakeCliEngine(home)
  const path = join(home, 'troupe.sock')
  const clock = handClock()
  const server = await serveLocal(engine, path, clock)
  const close = async () => {
    const closed = server.close()
    await settled()
    clock.pass(1_000)
    await closed
  }
  closers.push(close)
  return { home, engine, path, close }
}

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

/** Starts `etl`, which need not wait. */
async function letGo(door: ClientDoor | undefined): Promise<FollowedRun> {
  const started = await door?.start({ file: '/etl.yaml' })
  if (!started || started.queued) throw new Error('it was not let go')
  return started
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.message
  )

describe('socket of the owner', () => {
  it('serves the normal API beside the local routes', async () => {
    const { engine, path } = await served()
    engine.addRun({ name: 'etl', dagRunId: 'r1' })
    const { status, text } = await ask(path, 'GET', '/api/v2/dag-runs/etl/r1')
    expect(status).to.equal(200)
    expect(JSON.parse(text).dagRun).to.include({ dagRunId: 'r1', statusLabel: 'succeeded' })
  })

  it('what is of the wrong kind is refused, and by its field', async () => {
    const { engine, path } = await served()
    for (const [route, body, message] of [
      ['start', '{"file":"/etl.yaml","unlimited":1}', 'unlimited: wanted true or false, found 1'],
      ['start', '{"fromRun":"r1"}', 'fromRun: wanted an object, found "r1"'],
      ['start', '{"fromRun":{"name":"etl"}}', 'dagRunId: wanted a string, found none'],
      ['start', '{"file":"etl.yaml"}', 'file: wanted an absolute path, found "etl.yaml"'],
      ['enqueue', '{}', 'file: wanted a string, found none'],
      ['retry', '{"name":"etl"}', 'dagRunId: wanted a string, found none'],
      ['dequeue', '{"queue":7}', 'queue: wanted a string, found 7']
    ] as const) {
      const { text } = await ask(path, 'POST', `/local/${route}`, body)
      expect(JSON.parse(text)).to.deep.equal({ code: 'bad_request', message })
    }
    expect(engine.started).to.deep.equal([])
  })

  it('GET /local/run is the RunView, also of the newest run', async () => {
    const { engine, path } = await served()
    const view = engine.addRun({ name: 'etl', dagRunId: 'r1' })
    const plain = JSON.parse(JSON.stringify(view))
    expect(JSON.parse((await ask(path, 'GET', '/local/run?name=etl&dagRunId=r1')).text)).to.deep.equal(plain)
    expect(JSON.parse((await ask(path, 'GET', '/local/run?name=etl')).text)).to.deep.equal(plain)
  })

  it('answers what cannot be with the Error object', async () => {
    const { path } = await served()
    for (const [method, url, body, code, words] of [
      ['GET', '/local/run?name=etl', undefined, 'not_found', 'etl never ran'],
      ['GET', '/local/run', undefined, 'bad_request', 'name: wanted a string, found none'],
      ['GET', '/local/nothing', undefined, 'not_found', 'no such path: GET /local/nothing'],
      ['GET', '/local/__proto__', undefined, 'not_found', 'no such path'],
      ['POST', '/local/start', '{"file":"etl.yaml"}', 'bad_request', 'file: wanted an absolute path, found "etl.yaml"'],
      ['POST', '/local/start', '{"file":5}', 'bad_request', 'file: wanted a string, found 5'],
      ['POST', '/local/start', '[]', 'bad_request', 'wanted a JSON object'],
      ['POST', '/local/stop', '{', 'bad_request', 'malformed JSON'],
      ['POST', '/local/stop', `{"name":"${'x'.repeat(2 ** 21)}"}`, 'bad_request', 'wanted at most 2097152 bytes'],
      ['POST', '/local/definition', '{"file":"/no/such.yaml"}', 'not_found', 'the definition such.yaml cannot be read'],
      ['GET', '/local/events?name=etl&dagRunId=r1', undefined, 'not_found', 'there is no run r1 of etl']
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
    for (const url of ['//', '/local/%', '/local/run?%', '/%zz'])
      expect((await ask(path, 'GET', url)).status, url).to.be.within(400, 499)
  })

  it('a client that does not read is let go; the engine does not wait for it', async () => {
    const { engine, path } = await served()
    const key = await engine.start({ file: '/etl.yaml' })
    const socket = connect(path)
    socket.on('error', () => {})
    const gone = new Promise((resolve) => socket.on('close', resolve))
    socket.write(`GET /local/events?name=etl&dagRunId=${key.dagRunId} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await settled()
    socket.pause()
    for (let count = 0; count < 40; count++) engine.tell(key, { event: 'x'.repeat(2 ** 20) })
    socket.resume()
    await gone
  })

  it('who has connected before it closes is heard; nobody finds it any more', async () => {
    const { path, close } = await served()
    const socket = connect(path)
    let said = ''
    socket.setEncoding('utf8').on('data', (text) => {
      said += text
    })
    const closed = close()
    expect(await knock(path, handClock())).to.equal(undefined)
    socket.write('GET /local/engine HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await new Promise((resolve) => socket.on('close', resolve))
    expect(said).to.match(/^HTTP\/1.1 200 OK/)
    await closed
  })
})

describe('client of the owner', () => {
  it('nobody listens: nobody is there', async () => {
    const home = temporaryFolder()
    expect(await knock(join(home, 'troupe.sock'), handClock())).to.equal(undefined)
    writeFileSync(join(home, 'file.sock'), '')
    expect(await knock(join(home, 'file.sock'), handClock())).to.equal(undefined)
  })

  it('hears every event of a run it starts, from the first one on, in order', async () => {
    const { engine, path } = await served()
    const door = await knock(path, handClock())
    engine.acts.set('etl', (key) => {
      for (let count = 0; count < 500; count++)
        nodeChanges(engine, key, 'first', { status: 'running', retryCount: count })
      engine.end(key, 'succeeded')
    })
    const started = await letGo(door)
    const heard: EngineEvent[] = []
    const view = await started.follow((event) => heard.push(event))
    expect(heard).to.have.length(502)
    expect(heard.map(({ seq }) => seq)).to.deep.equal(heard.map((_event, index) => index + 1))
    expect(view?.run.status).to.equal('succeeded')
  })

  it('hears nothing of other runs', async () => {
    const { engine, path } = await served()
    const door = await knock(path, handClock())
    const other = await engine.start({ file: '/other.yaml' })
    const started = await letGo(door)
    const heard: EngineEvent[] = []
    const followed = started.follow((event) => heard.push(event))
    nodeChanges(engine, other, 'first', { status: 'running' })
    engine.end(started.key, 'succeeded')
    await followed
    expect(heard.map(({ run }) => run?.name)).to.deep.equal(['etl', 'etl'])
  })

  it('gets the error that the engine threw, with code and details', async () => {
    const { engine, path } = await served()
    const door = await knock(path, handClock())
    engine.failure = new TroupeError('max_run_reached', 'etl already has 1 active run', { details: { limit: 1 } })
    const error = await door?.start({ file: '/etl.yaml' }).catch((error: TroupeError) => error)
    expect(error).to.include({ code: 'max_run_reached', message: 'etl already has 1 active run' })
    expect((error as TroupeError).details).to.deep.equal({ limit: 1 })
  })

  it('reads a definition by path: name and problems', async () => {
    const { home, path } = await served()
    const file = join(home, 'flow.yaml')
    writeFileSync(file, 'name: etl\nsteps:\n  - echo\ndepends: nobody\n')
    const door = await knock(path, handClock())
    expect(await door?.definition(file)).to.deep.equal({
      name: 'etl',
      problems: [{ message: 'no step nobody', path: 'steps[0]' }]
    })
  })

  it('holds on to a run while its engine goes and another one comes', async () => {
    const { engine, path, close } = await served()
    const clock = handClock()
    const door = await knock(path, clock)
    const started = await letGo(door)
    const heard: EngineEvent[] = []
    const followed = started.follow((event) => heard.push(event))
    await settled()
    await close()
    await settled()
    const next = await serveLocal(engine, path, handClock())
    clock.pass(250)
    await settled()
    engine.end(started.key, 'failed')
    expect((await followed)?.run.status).to.equal('failed')
    expect(heard.at(-1)?.status).to.equal('failed')
    await next.close()
  })

  it('a run that its engine has ended before it went is told of by the store, as soon as that says so', async () => {
    const { path, close } = await served()
    const clock = handClock()
    let looks = 0
    const ended = { run: { status: 'canceled' } } as RunView
    const door = await knock(path, clock, async () => (++looks < 3 ? undefined : ended))
    const started = await letGo(door)
    const followed = started.follow(() => {})
    await settled()
    await close()
    for (let waited = 0; waited < 500; waited += 250) {
      await settled()
      clock.pass(250)
    }
    expect(await followed).to.equal(ended)
    expect(looks).to.equal(3)
  })

  it('an engine that does not come back within 15 s is the error', async () => {
    const { path, close } = await served()
    const clock = handClock()
    const door = await knock(path, clock)
    const started = await letGo(door)
    const followed = failureOf(started.follow(() => {}))
    await settled()
    await close()
    for (let waited = 0; waited <= 15_500; waited += 250) {
      await settled()
      clock.pass(250)
    }
    expect(await followed).to.equal('the engine of this home went away; its runs go on with the next one')
  })

  it('lets go of a run when it is closed', async () => {
    const { path } = await served()
    const door = await knock(path, handClock())
    const started = await letGo(door)
    const followed = failureOf(started.follow(() => {}))
    await settled()
    door?.close()
    expect(await followed).to.contain('went away')
  })
})
