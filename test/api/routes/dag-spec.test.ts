/** The text of a definition over HTTP: created, read, replaced, validated. Source: http-api "Definitions", api-semantics 3.2, 3.3; acceptance 1-7. */
import { expect } from 'chai'
import { eachServed } from '../client.ts'

describe('API › definitions', () => {
  const { serving, call } = eachServed()

  describe('POST /dags', () => {
    it('-> 201 {name} + Location header; blank or absent spec writes a one-step definition', async () => {
      const engine = await serving()
      for (const [name, spec] of [['one'], ['two', ''], ['three', ' \n']]) {
        const { status, json, headers } = await call('POST', '/dags', { body: { name, spec } })
        expect([status, json, headers.location]).to.deep.equal([201, { name }, `/api/v2/dags/${name}`])
        expect(engine.texts.get(name ?? '')).to.contain('echo')
      }
    })

    it('a given spec is validated: any problem -> 400 with details.errors, nothing is written', async () => {
      const engine = await serving()
      const { status, json } = await call('POST', '/dags', { body: { name: 'x', spec: 'depends: nobody' } })
      expect([status, json.code, json.details.errors]).to.deep.equal([400, 'bad_request', ['no step nobody']])
      expect(engine.texts.has('x')).to.equal(false)
    })
  })

  describe('GET and PUT /dags/{fileName}/spec', () => {
    const text = '# a comment\nname: hello\nsteps:\n  - echo hi   \n'

    it('GET -> {dag, spec, errors}: spec is the exact file text', async () => {
      const engine = await serving()
      engine.texts.set('hello', text)
      const { status, json } = await call('GET', '/dags/hello/spec')
      expect([status, json.spec, json.errors, json.dag.name]).to.deep.equal([200, text, [], 'hello'])
    })

    it('GET: errors includes warnings', async () => {
      const engine = await serving()
      engine.texts.set('hello', '  - run: kid\n')
      expect((await call('GET', '/dags/hello/spec')).json.errors).to.deep.equal(['run is deprecated'])
    })

    it('PUT valid: replaced, errors: []', async () => {
      const engine = await serving()
      engine.texts.set('hello', text)
      const { status, json } = await call('PUT', '/dags/hello/spec', { body: { spec: 'steps:\n  - b\n' } })
      expect([status, json, engine.texts.get('hello')]).to.deep.equal([200, { errors: [] }, 'steps:\n  - b\n'])
    })

    it('PUT invalid: file left unchanged, errors lists the problems, still 200', async () => {
      const engine = await serving()
      engine.texts.set('hello', text)
      const { status, json } = await call('PUT', '/dags/hello/spec', { body: { spec: 'depends: nobody' } })
      expect([status, json, engine.texts.get('hello')]).to.deep.equal([200, { errors: ['no step nobody'] }, text])
    })

    it('PUT: missing spec member -> 400; missing definition -> 404, no create by PUT', async () => {
      const engine = await serving()
      engine.texts.set('hello', text)
      for (const body of [{}, undefined, { spec: 5 }]) {
        expect((await call('PUT', '/dags/hello/spec', { body })).status).to.equal(400)
      }
      expect((await call('PUT', '/dags/other/spec', { body: { spec: text } })).status).to.equal(404)
      expect([...engine.texts.keys()]).to.deep.equal(['hello'])
    })
  })

  describe('POST /dags/validate', () => {
    const validate = async (body: unknown) => {
      const { status, json } = await call('POST', '/dags/validate', { body })
      return { status, ...json }
    }

    it('valid: {valid, errors: [], dag}', async () => {
      await serving()
      const { status, valid, errors, dag } = await validate({ spec: 'steps:\n  - echo hi\n', name: 'tmp' })
      expect([status, valid, errors, dag.name, dag.steps.length]).to.deep.equal([200, true, [], 'tmp', 1])
    })

    it('name: spec, else name, else validated-dag', async () => {
      await serving()
      expect((await validate({ spec: 'name: own\n', name: 'tmp' })).dag.name).to.equal('own')
      expect((await validate({ spec: 'steps:\n' })).dag.name).to.equal('validated-dag')
      expect((await validate({ spec: 'steps:\n', name: '' })).dag.name).to.equal('validated-dag')
    })

    it('invalid: 200 with valid false and errors; dag omitted when nothing could be built', async () => {
      await serving()
      const invalid = await validate({ spec: 'steps:\n  - a\ndepends: nobody\n' })
      expect([invalid.status, invalid.valid, invalid.errors]).to.deep.equal([200, false, ['no step nobody']])
      expect(invalid).to.have.property('dag')
      expect(await validate({ spec: 'x\t' })).to.deep.equal({
        status: 200,
        valid: false,
        errors: ['line 1: found a tab']
      })
    })

    it('missing or blank spec -> valid: false, errors: ["spec is required"]', async () => {
      await serving()
      for (const body of [{}, { spec: '' }, { spec: ' \n' }]) {
        expect(await validate(body)).to.deep.equal({ status: 200, valid: false, errors: ['spec is required'] })
      }
    })

    it('always 200 when the body is a JSON object: wrong types and an invalid name are errors', async () => {
      await serving()
      expect(await validate({ spec: 5, name: 'a' })).to.deep.equal({
        status: 200,
        valid: false,
        errors: ["field 'spec': wanted a string, found a number"]
      })
      const { valid, errors } = await validate({ spec: 'steps:\n', name: 'bad name!' })
      expect([valid, errors.length]).to.deep.equal([false, 1])
      for (const body of [undefined, '[]', 'null', '{']) expect((await validate(body)).status).to.equal(400)
    })
  })
})
