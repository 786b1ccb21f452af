/** An API with runs of every kind, and what a test of a row of the endpoint tables is made of. Source: http-api "Endpoints". */
import { expect } from 'chai'
import type { Answer, Sent } from '../../api/client.ts'
import { temporaryFolder } from '../homes.ts'
import { DOCUMENTED } from './endpoint-rows.ts'
import { type JsonShape, lacks } from './json-shape.ts'
import { type Json, liveApi } from './live-api.ts'

/** That of `etl`, which has the run `e1`; `bad` has the run `b1`, which failed, `held` the run `h1`, which runs. */
export const SPEC =
  'tags: [etl]\nschedule: "0 3 * * *"\nparams: DAY=today\nhandlerOn: {exit: echo bye}\nsteps: [{name: load, command: echo $DAY, output: OUT}, {name: kid, call: kid}]\n---\nname: kid\nsteps: [{name: k1, command: "echo hi"}]\n'

export type Call = (path: string, sent?: Sent) => Promise<Answer>
export type LiveRows = ReturnType<typeof liveRows>

/** For the tests of a `describe`. */
export function liveRows() {
  const api = liveApi({
    settings: { 'queues.config': [{ name: 'batch', maxConcurrency: 1 }] },
    monitoring: { intervalMs: 1_000, retentionMs: 3_600_000 }
  })
  const covered = new Set<string>()
  let sub = ''
  let count = 0

  before(async () => {
    const gate = temporaryFolder()
    api.write('etl', SPEC)
    api.write('held', `maxActiveRuns: 1\nsteps: ['while [ ! -e ${gate}/go ]; do sleep 0.05; done']\n`)
    api.write('broken', '[')
    await api.started('etl', { dagRunId: 'e1' })
    await api.ended('etl', 'e1')
    sub = (await api.call('GET', '/dag-runs/etl/e1/sub-dag-runs')).json.subRuns[0].dagRunId
    await api.startedInline({ spec: 'name: bad\nsteps: [{name: s, command: exit 1}]', dagRunId: 'b1' })
    await api.ended('bad', 'b1')
    await api.started('held', { dagRunId: 'h1' })
  })

  /** A test of a row: titled with its words, and called with a function that sends its request. */
  function row(method: string, path: string, prove: (call: Call) => Promise<void>): void {
    const found = DOCUMENTED.find((one) => one.method === method && one.path === path)
    covered.add(`${method} ${path}`)
    it(`${method} ${path}: ${found?.words ?? 'no row of the document'}`, () =>
      prove((path, sent) => api.call(method, path, sent)))
  }
  async function promises(answer: Promise<Answer>, shape: JsonShape, status = 200): Promise<Json> {
    const { status: found, json, text } = await answer
    expect([found, ...lacks(json, shape)], text).to.deep.equal([status])
    return json
  }
  async function empty(answer: Promise<Answer>, status = 200): Promise<void> {
    const { status: found, bytes, headers } = await answer
    expect([found, bytes.length, headers['content-type']]).to.deep.equal([status, 0, undefined])
  }
  async function refuses(answer: Promise<Answer>, status: number, code: string): Promise<Json> {
    const { status: found, json, text } = await answer
    expect([found, json?.code], text).to.deep.equal([status, code])
    expect(json.message).to.be.a('string').that.is.not.equal('')
    return json
  }
  const fresh = (word = 'new') => `${word}-${++count}`
  const created = async (spec = 'steps: [echo hi]') => {
    const name = fresh()
    expect((await api.call('POST', '/dags', { body: { name, spec } })).status).to.equal(201)
    return name
  }
  /** The sub DAG run of `e1`. */
  const subRunId = () => sub
  return { api, covered, subRunId, row, promises, empty, refuses, fresh, created }
}
