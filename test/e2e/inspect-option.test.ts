/** `createEngine({ inspect })`: the page of a host's engine, and records for an inspector. Source: issue "Watchable" 3, 4; docs/inspect.md. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { WebSocketServer } from 'ws'
import { createEngine } from '../../src/index.ts'
import { eventually } from '../support/waiting.ts'

interface Told {
  type: string
  sessionId: string
  rootId: string
  parentId?: string
  definition?: string
  createdAt: string
  id: string
  _version: string
  event?: { type: string }
  snapshot?: { status: string; value: unknown; context: Record<string, unknown> }
}

const spec = 'name: watched\nsteps: [{name: a, command: exit 3, retryPolicy: {limit: 1, intervalSec: 1}}]'

describe('createEngine({ inspect })', function () {
  this.timeout(20_000)

  it('serves the API on this machine, says where, and ends that with the engine', async () => {
    const written: string[] = []
    const { write } = process.stderr
    process.stderr.write = ((text: string) => written.push(text) > 0) as typeof write
    const engine = await createEngine({ temporary: true, inspect: true }).finally(() => {
      process.stderr.write = write
    })
    const { inspectedAt = '' } = engine
    expect(inspectedAt).to.match(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(written.join('')).to.equal(`troupe: watch the engine at ${inspectedAt}/\n`)
    const answer = await fetch(`${inspectedAt}/api/v2/machines`)
    expect(answer.status).to.equal(200)
    await engine.close()
    expect(
      await fetch(inspectedAt).then(
        () => 'there',
        () => 'gone'
      )
    ).to.equal('gone')
  })

  it('without it nothing is served or loaded', async () => {
    const engine = await createEngine({ temporary: true })
    expect(engine).to.not.have.property('inspectedAt')
    await engine.close()
  })

  it('tells an inspector of each actor, event and snapshot, as @statelyai/inspect does; one that comes late is told again', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const told: Told[] = []
    server.on('connection', (socket) => socket.on('message', (text) => told.push(JSON.parse(String(text)))))
    const engine = await createEngine({
      temporary: true,
      defaultShell: 'sh',
      inspect: { to: `ws://127.0.0.1:${port}` }
    })
    expect(engine.inspectedAt, 'nothing else is opened').to.equal(undefined)
    const key = await engine.start({ spec })
    await engine.result(key)
    const run = `run/watched/${key.dagRunId}`
    await eventually('the end of the run', () =>
      told.some(
        ({ type, sessionId, snapshot }) =>
          type === '@xstate.snapshot' && sessionId === run && snapshot?.status === 'done'
      )
        ? true
        : undefined
    )
    const actors = told.filter(({ type }) => type === '@xstate.actor')
    expect(actors.map(({ sessionId, parentId }) => [sessionId, parentId])).to.deep.equal([
      ['queue/watched', undefined],
      [run, undefined],
      [`${run}/node/a`, run]
    ])
    expect(JSON.parse(actors[2]?.definition ?? '')).to.include({ id: 'node', initial: 'picked' })
    const node = told.filter(({ type, sessionId }) => type === '@xstate.snapshot' && sessionId === `${run}/node/a`)
    expect(node.map(({ event, snapshot }) => [event?.type, snapshot?.value])).to.deep.equal([
      ['xstate.init', { attempting: 'executing' }],
      ['attempt.ended', 'waiting'],
      ['alarm.rang', { attempting: 'executing' }],
      ['attempt.ended', 'failed']
    ])
    expect(node[2]?.snapshot?.context).to.include({ attempt: 2, retryCount: 1, exitCode: 3 })
    for (const record of told) expect(record).to.include.keys('sessionId', 'rootId', 'createdAt', 'id', '_version')
    expect(new Set(told.map(({ id }) => id)).size).to.equal(told.length)
    await engine.close()
    for (const client of server.clients) client.terminate()
    server.close()
  })

  it('an inspector that is not there costs nothing; an address that is none is refused', async () => {
    const engine = await createEngine({ temporary: true, defaultShell: 'sh', inspect: { to: 'ws://127.0.0.1:9' } })
    expect((await engine.result(await engine.start({ spec: 'steps: [echo a]', name: 'x' }))).run.status).to.equal(
      'succeeded'
    )
    await engine.close()
    const refused = await createEngine({ temporary: true, inspect: { to: 'http://127.0.0.1' } }).catch((error) => error)
    expect(refused).to.include({ code: 'bad_request' })
  })
})
