/** An API with remote nodes for the tests of a `describe`: two behind a server that answers as configured, others out of reach. */
import { createServer, type Server } from 'node:net'
import { expect } from 'chai'
import { readConfig } from '../../../src/config.ts'
import { served } from '../../api/client.ts'
import { fakeEngine, planOf } from '../engine/fake-engine.ts'
import { type Asked, oddServer } from '../odd-server.ts'

export const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' }

export interface FarNodes {
  /** What stands for `staging`, `token` and `plain`. */
  readonly odd: Awaited<ReturnType<typeof oddServer>>
  /** The API that is called, of `engine`. */
  readonly api: Awaited<ReturnType<typeof served>>
  readonly engine: ReturnType<typeof fakeEngine>
  /** The last that the node was asked. */
  asked(): Asked
}

export function farNodes(): FarNodes {
  let up: Omit<FarNodes, 'asked'> | undefined
  let speaker: Server
  before(async () => {
    const odd = await oddServer()
    speaker = createServer((socket) => void socket.on('error', () => {}).end('SSH-2.0-nothing\r\n'))
    await new Promise<void>((resolve) => speaker.listen(0, '127.0.0.1', resolve))
    const address = speaker.address()
    const far = `http://127.0.0.1:${odd.port}/far/api/v2`
    const { remoteNodes } = readConfig(
      {
        home: '/nowhere',
        settings: {
          remoteNodes: [
            { name: 'staging', apiBaseURL: far, basicAuthUsername: 'ops', basicAuthPassword: 'geheim' },
            { name: 'token', apiBaseURL: far, authToken: 'tok-en', timeout: '300ms' },
            { name: 'plain', apiBaseURL: `http://127.0.0.1:${odd.port}`, timeout: '300ms' },
            { name: 'dead', apiBaseURL: 'http://127.0.0.1:9/api/v2' },
            { name: 'nowhere', apiBaseURL: 'http://no-such-host.invalid/api/v2' },
            { name: 'secure', apiBaseURL: `https://127.0.0.1:${odd.port}` },
            { name: 'ssh', apiBaseURL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }
          ]
        }
      },
      {}
    )
    const engine = fakeEngine({ remoteNodes }, { hello: planOf('hello') })
    up = { odd, engine, api: await served(engine, { log: () => {} }) }
  })
  after(async () => {
    await up?.api.close()
    await up?.odd.close()
    speaker.close()
  })
  const found = () => up ?? expect.fail('they are up in tests only')
  return {
    get odd() {
      return found().odd
    },
    get api() {
      return found().api
    },
    get engine() {
      return found().engine
    },
    asked: () => found().odd.asked.at(-1) ?? expect.fail('the node was not asked')
  }
}
