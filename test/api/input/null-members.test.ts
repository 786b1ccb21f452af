/** `null` for a member that need not be there is its absence, in every body. Source: api-semantics T2, T3; http-api. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { operationList } from '../../../src/api/contract/operations.ts'
import { ActionBody } from '../../../src/api/v1/actions.ts'
import type { Schema } from '../../../src/schema/schema.ts'
import { testDocument } from '../../support/api/response-check.ts'
import { fakeEngine, nodeOf, planOf, stepOf } from '../../support/engine/fake-engine.ts'
import { type Answer, served } from '../client.ts'

const SPEC = 'steps:\n  - echo hi\n'
/** A value that is taken, for each member that some body needs. */
const GOOD: Record<string, unknown> = {
  spec: SPEC,
  name: 'fresh',
  role: 'viewer',
  newFileName: 'other',
  suspend: true,
  status: 4,
  drain: true
}

const bodies = operationList.flatMap(([id, { method, path, body }]) => (body ? [{ id, method, path, body }] : []))
const optionalOf = ({ properties = {}, required = [] }: Schema) =>
  Object.keys(properties).filter((name) => !required.includes(name))

describe('API › null for an optional member is absence', () => {
  let api: Awaited<ReturnType<typeof served>>
  const open = async () => {
    const engine = fakeEngine({}, { hello: planOf('hello') })
    engine.texts.set('hello', SPEC)
    engine.addRun({ name: 'hello', dagRunId: 'r-1' }, { nodes: [{ step: stepOf('s'), node: nodeOf('s') }] })
    api = await served(engine)
  }
  beforeEach(open)
  afterEach(() => api.close())

  const PLACES: Record<string, string> = { fileName: 'hello', name: 'hello', dagRunId: 'r-1', stepName: 's' }
  const send = (method: string, path: string, body: object) =>
    api.call(
      method,
      path.replace(/\{(\w+)\}/g, (_, name: string) => PLACES[name] ?? 'hello'),
      { body }
    )
  const outcome = ({ status, json }: Answer) => ({ status, problems: json?.details?.errors, message: json?.message })

  it('there are bodies with such members, and with needed ones', () => {
    expect(bodies.length).to.be.greaterThan(10)
    expect(bodies.filter(({ body }) => optionalOf(body).length > 0).length).to.be.greaterThan(5)
    expect(bodies.filter(({ body }) => (body.required ?? []).length > 0).length).to.be.greaterThan(5)
  })

  for (const { id, method, path, body } of bodies) {
    const needed = Object.fromEntries((body.required ?? []).map((name) => [name, GOOD[name]]))
    it(`${id}: all of them null is as if none were there`, async () => {
      const nulls = Object.fromEntries(optionalOf(body).map((name) => [name, null]))
      const without = outcome(await send(method, path, needed))
      await api.close()
      await open() // it may have changed something
      expect(outcome(await send(method, path, { ...needed, ...nulls }))).to.deep.equal(without)
    })
    it(`${id}: null for a needed one is refused in the words for a missing one`, async () => {
      for (const name of body.required ?? []) {
        const { [name]: _, ...without } = needed
        const missing = outcome(await send(method, path, without))
        expect(outcome(await send(method, path, { ...without, [name]: null })), name).to.deep.equal(missing)
        expect(missing.status, name).to.equal(400)
        expect(missing.problems, name).to.deep.equal([`field '${name}': required`])
      }
    })
    it(`${id}: the OpenAPI document says so`, () => {
      const found: unknown = testDocument.paths[path]?.[method.toLowerCase()]?.requestBody
      const { content } = found as RequestBody // every operation with a body has one
      const check = new Ajv2020({ strict: false, formats: {} }).compile({
        ...content['application/json'].schema,
        components: testDocument.components
      })
      expect(check({ ...needed, ...Object.fromEntries(optionalOf(body).map((name) => [name, null])) })).to.equal(true)
      for (const name of body.required ?? []) expect(check({ ...needed, [name]: null }), name).to.equal(false)
    })
  }

  it('other types are refused as before, and a body that is null itself is none', async () => {
    const { status, problems } = outcome(await send('POST', '/dags/{fileName}/start', { params: 5, dagRunId: null }))
    expect([status, problems]).to.deep.equal([400, ["field 'params': wanted a string, found a number"]])
    expect((await api.call('POST', '/dags/hello/start', { body: 'null' })).status).to.equal(400)
  })

  it('version 1: optional members of an action, and a needed one', async () => {
    const nulls = Object.fromEntries(optionalOf(ActionBody).map((name) => [name, null]))
    const act = (body: object) => api.callAt('POST', '/api/v1/dags/hello', { body })
    expect((await act({ action: 'start', ...nulls })).status).to.equal(200)
    expect(outcome(await act({ action: null })).problems).to.deep.equal(["field 'action': required"])
    expect(outcome(await act({ action: 'rename', value: null })).problems).to.deep.equal([
      "field 'value': required for rename"
    ])
    expect(
      outcome(await api.callAt('POST', '/api/v1/dags', { body: { action: 'new', value: null } })).problems
    ).to.deep.equal(["field 'value': required"])
  })
})

interface RequestBody {
  content: { 'application/json': { schema: object } }
}
