/** Words of other engines are refused by name, with what to use instead. Source: docs/http-api.md "Definitions". */
import { expect } from 'chai'
import { operationList } from '../../../src/api/contract/operations.ts'
import { checkFields } from '../../../src/api/input/body.ts'
import { FOREIGN_WORDS } from '../../../src/schema/instead.ts'
import type { ObjectSchema, Schema } from '../../../src/schema/schema.ts'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

type Body = ObjectSchema<Record<string, Schema>, string>
const bodies = operationList.flatMap(([id, { body }]): [string, Body][] =>
  body?.type === 'object' && body.properties ? [[id, body as Body]] : []
)

describe('API › words of other engines', () => {
  const engine = fakeEngine({}, { hello: planOf('hello') })
  engine.addRun({ name: 'hello', dagRunId: 'r-1', status: 'failed', startedAt: 1, finishedAt: 2 })
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    api = await served(engine)
  })
  after(() => api.close())

  it('each is refused by name in every body that does not have it, with what to use', () => {
    for (const [id, body] of bodies)
      for (const word of FOREIGN_WORDS.filter((word) => !Object.hasOwn(body.properties, word)))
        expect(
          checkFields({ [word]: 1 }, body).problems.filter((problem) =>
            problem.startsWith(`field '${word}': unknown; `)
          ),
          `${id} ${word}`
        ).to.have.length(1)
  })

  it('all of them are named at once, in any spelling, and nothing is changed', async () => {
    for (const [method, path, body] of [
      ['POST', '/dags', { name: 'new' }],
      ['PUT', '/dags/hello/spec', { spec: 'steps: []' }],
      ['POST', '/dags/hello/rename', { newFileName: 'other' }],
      ['POST', '/dags/hello/suspend', { suspend: true }],
      ['POST', '/dags/hello/start', {}],
      ['POST', '/dags/hello/enqueue', {}],
      ['POST', '/dags/hello/stop-all', {}],
      ['POST', '/dag-runs', { spec: 'name: a\nsteps: []' }],
      ['POST', '/dag-runs/enqueue', { spec: 'name: a\nsteps: []' }],
      ['POST', '/dag-runs/hello/r-1/stop', {}],
      ['POST', '/dag-runs/hello/r-1/retry', {}],
      ['POST', '/dag-runs/hello/r-1/reschedule', {}],
      ['PATCH', '/dag-runs/hello/r-1/steps/s/status', { status: 4 }]
    ] as const) {
      const { status, json } = await api.call(method, path, { body: { ...body, ttl: '1h', run_timeout: 5 } })
      expect([status, json.code], path).to.deep.equal([400, 'bad_request'])
      expect(json.details.errors.map((error: string) => error.split(';')[0])).to.deep.equal([
        "field 'ttl': unknown",
        "field 'run_timeout': unknown"
      ])
    }
    expect(engine.started).to.deep.equal([])
    expect([...engine.texts.keys()]).to.deep.equal(['hello'])
  })

  it('a null is no word; POST /dags/validate answers `valid: false`; other unknown fields are ignored', async () => {
    expect((await api.call('POST', '/dags/hello/start', { body: { ttl: null, zebra: 1 } })).status).to.equal(200)
    const { json } = await api.call('POST', '/dags/validate', { body: { spec: 'steps: []', labels: {} } })
    expect(json.valid).to.equal(false)
    expect(json.errors[0]).to.match(/^field 'labels': unknown; use `tags`/)
  })
})
