/** What is held for clients that are slow to send or to read is bounded, and the others are served. Source: reliability P18, P20, F24. */
import { EventEmitter } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ParameterizedContext } from 'koa'
import { ClientGone, hold } from '../../../src/api/rules/held-bytes.ts'
import { ShareTaken } from '../../../src/errors.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'
import { eventually } from '../../support/waiting.ts'
import { configOf } from '../api-with.ts'
import { served } from '../client.ts'

const MIB = 1024 ** 2
const BODY = { spec: 'steps: []', unknown: 'x'.repeat(2 * MIB - 100) }

describe('API › P20 what is held for slow clients', () => {
  const sockets: Socket[] = []
  const open: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const close of open.splice(0)) await close()
  })

  /** Sends, and reads nothing. Tells the first line that comes when it is asked to read. */
  const sendOnly = (port: number, bytes: string) =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => resolve(socket)))
      socket.on('error', reject)
      sockets.push(socket)
    })

  const TOKENS = ['one', 'two', 'three'].map((name) => ({ name, value: name, permissions: ['read'] }))
  const as = (who: string) => ({ Authorization: `Bearer ${who}` })
  const tokens = () => fakeEngine(configOf({ 'auth.tokens': TOKENS }))

  it('32 MiB of bodies of one caller that do not end: the next is a 429 with Retry-After; others, small ones and readers are served', async () => {
    const { port, call, close } = await served(tokens())
    open.push(close)
    const head = `POST /api/v2/dags/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    const half = (who: string) =>
      `${head}Authorization: Bearer ${who}\r\nContent-Length: ${2 * MIB}\r\n\r\n${' '.repeat(2 * MIB - 1)}`
    const fill = (who: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => sendOnly(port, half(who))))
    const validate = (who: string, body = BODY) => call('POST', '/dags/validate', { body, headers: as(who) })
    const refusalOf = async (who: string, wanted: number) => {
      const answerNow = async () => {
        const answer = await validate(who)
        if (answer.status === wanted) return answer
        await fill(who, 1) // some of the first have refused each other
        return undefined
      }
      return eventually('a refusal', answerNow, 15_000)
    }
    await fill('one', 18)
    const refused = await refusalOf('one', 429)
    expect(refused.json).to.deep.include({ code: 'service_unavailable' })
    expect(refused.headers).to.include({ 'retry-after': '1', connection: 'close' })
    expect((await validate('two')).status, 'another caller').to.equal(200)
    expect((await validate('one', { ...BODY, unknown: '' })).status).to.equal(200)
    expect((await call('GET', '/dags', { headers: as('one') })).status).to.equal(200)
    // All of it takes two of them.
    await fill('two', 18)
    await refusalOf('two', 429)
    const { headers } = await refusalOf('three', 503)
    expect(headers).to.include({ 'retry-after': '1', connection: 'close' })
    for (const socket of sockets.splice(0)) socket.destroy()
    await eventually('room again', async () => ((await validate('one')).status === 200 ? true : undefined))
  })

  it('nothing is held for a client that has gone before its answer was ready: the answer is given up', () => {
    const res = Object.assign(new EventEmitter(), { closed: true })
    const app = {}
    const ctx = (res: object) => ({ app, req: {}, res, state: {} }) as unknown as ParameterizedContext
    for (let at = 0; at < 100; at++) expect(() => hold(ctx(res), 'answer', 2 * MIB)).to.throw(ClientGone)
    hold(ctx(new EventEmitter()), 'answer', 32 * MIB)
    expect(() => hold(ctx(new EventEmitter()), 'answer', MIB)).to.throw(ShareTaken)
  })

  it('32 MiB of answers that one caller does not read: its next large one is a 429 with Retry-After, small ones are given', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-held-'))
    open.push(() => rm(folder, { recursive: true }))
    const log = join(folder, 'run.log')
    await writeFile(log, `${'x'.repeat(800)}\n`.repeat(10_000))
    const engine = fakeEngine()
    engine.addRun({ name: 'big', dagRunId: 'r1', log })
    const { port, call, close } = await served(engine)
    open.push(close)
    const get = 'GET /api/v2/dag-runs/big/r1/log?limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n'
    expect((await call('GET', '/dag-runs/big/r1/log?limit=10000')).status).to.equal(200)
    for (let reader = 0; reader < 9; reader++) (await sendOnly(port, get)).pause()
    const refused = await eventually('a refusal', async () => {
      const answer = await call('GET', '/dag-runs/big/r1/log?limit=10000')
      return answer.status === 429 ? answer : undefined
    })
    expect(refused.headers).to.include({ 'retry-after': '1' })
    expect(refused.json).to.deep.include({ code: 'service_unavailable' })
    expect((await call('GET', '/dag-runs/big/r1/log?limit=10')).status).to.equal(200)
    expect((await call('GET', '/health')).status).to.equal(200)
    for (const socket of sockets.splice(0)) socket.destroy()
    await eventually('room again', async () => {
      const { status } = await call('GET', '/dag-runs/big/r1/log?limit=10000')
      return status === 200 ? true : undefined
    })
  })
})
