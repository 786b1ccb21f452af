/** The API under settings that say who gets in, and may do what. */
import { expect } from 'chai'
import { type Config, readConfig, type Settings } from '../../src/config.ts'
import { fakeEngine, planOf } from '../support/engine/fake-engine.ts'
import { served } from './client.ts'

export const configOf = (settings: Settings['settings'] = {}): Config =>
  readConfig({ home: '/nowhere', tz: 'UTC', settings }, {})

export const basicHeader = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** The API with these settings, for the tests of a `describe`. */
export function apiWith(settings: Settings['settings']) {
  const engine = fakeEngine(configOf(settings), { hello: planOf('hello') })
  let api: Awaited<ReturnType<typeof served>> | undefined
  before(async () => {
    api = await served(engine)
  })
  after(() => api?.close())
  const send = async (method: string, path: string, authorization?: string, whole = false, body = {}) => {
    const headers = authorization === undefined ? {} : { Authorization: authorization }
    const sent = { headers, ...(method === 'POST' ? { body } : {}) }
    return whole ? api?.callAt(method, path, sent) : api?.call(method, path, sent)
  }
  return {
    engine,
    send: async (...args: Parameters<typeof send>) => (await send(...args)) ?? expect.fail('it is not served'),
    status: async (...args: Parameters<typeof send>) => (await send(...args))?.status
  }
}

/** What `POST /api/v1/dags/{name}` can be told to do, by the same two switches. */
export const ACTIONS = {
  writeDAGs: ['save', 'rename'],
  runDAGs: ['start', 'suspend', 'stop', 'retry', 'mark-success', 'mark-failed']
}
