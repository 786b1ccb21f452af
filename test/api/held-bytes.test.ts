/** What is held for clients that are slow to send or to read is bounded, and the others are served. Source: reliability P18, P20, F24. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { fakeEngine } from '../support/fake-engine.ts'
import { eventually } from '../support/waiting.ts'
import { served } from './client.ts'

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

  it('64 MiB of bodies that do not end: the next is a 503 with Retry-After, small ones and readers are served', async () => {
    const { port, call, close } = await served(fakeEngine())
    open.push(close)
    const head = `POST /api/v2/dags/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    const half = `${head}Content-Length: ${2 * MIB}\r\n\r\n${' '.repeat(2 * MIB - 1)}`
    const fill = (count: number) => Promise.all(Array.from({ length: count }, () => sendOnly(port, half)))
    await fill(35)
    const answerNow = async () => {
      const answer = await call('POST', '/dags/validate', { body: BODY })
      if (answer.status === 503) return answer
      await fill(1) // some of the first have refused each other
      return undefined
    }
    const refused = await eventually('a refusal', answerNow, 15_000)
    expect(refused.json).to.deep.include({ code: 'service_unavailable' })
    expect(refused.headers).to.include({ 'retry-after': '1', connection: 'close' })
    expect((await call('POST', '/dags/validate', { body: { spec: 'steps: []' } })).status).to.equal(200)
    expect((await call('GET', '/dags')).status).to.equal(200)
    for (const socket of sockets.splice(0)) socket.destroy()
    await eventually('room again', async () => {
      const { status } = await call('POST', '/dags/validate', { body: BODY })
      return status === 200 ? true : undefined
    })
  })

  it('64 MiB of answers that are not read: the next large one is a 503 with Retry-After, small ones are given', async () => {
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
      return answer.status === 503 ? answer : undefined
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
