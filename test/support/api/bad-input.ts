/** An API with a good definition and a run at work, for input that is refused: nothing changes by it, and the server lives. */
import { expect } from 'chai'
import type { Answer, Sent } from '../../api/client.ts'
import type { StateDigest } from '../store/state-digest.ts'
import { type Json, liveApi } from './live-api.ts'

export const KIB = 1024
export const MIB = 1024 * KIB
export const GOOD = 'steps:\n  - echo hi\n'

/** Serves the definitions `good`, which has the run `done`, and `busy`, which has `at-work`, and looks after each test. */
export function unharmedApi() {
  const api = liveApi()
  let initial: StateDigest
  before(async () => {
    api.write('good', GOOD)
    api.write('busy', 'steps: [sleep 60]')
    await api.started('busy', { dagRunId: 'at-work' })
    await api.ended('good', await api.started('good', { dagRunId: 'done' }))
    initial = await api.quiet()
  })
  afterEach(async () => {
    expect(api.digest(), 'nothing changed').to.deep.equal(initial)
    expect((await api.call('GET', '/health')).json.status, 'the process is alive').to.equal('healthy')
    expect(api.faults).to.deep.equal([])
  })

  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    api.call(method, path, { ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) } satisfies Sent)
  return { api, send }
}

/** The Error object of a refusal. */
export function refused(what: string, { status, json, text }: Answer, wanted = 400, code = 'bad_request'): Json {
  expect([status, json?.code], `${what}: ${text.slice(0, 200)}`).to.deep.equal([wanted, code])
  expect(json.message, what).to.be.a('string').that.is.not.equal('')
  expect(Object.keys(json), what).to.have.members(
    'details' in json ? ['code', 'message', 'details'] : ['code', 'message']
  )
  return json
}
