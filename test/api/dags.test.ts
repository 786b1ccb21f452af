/** Definitions over HTTP. Source: http-api "Definitions", api-semantics 3.2, 3.3; acceptance 1-7. */
import { expect } from 'chai'
import { fakeEngine, planOf, stepOf } from '../support/fake-engine.ts'
import { type Answer, type Sent, served } from './client.ts'

describe('API › definitions', () => {
  let api: Awaited<ReturnType<typeof served>> | undefined
  const serving = async (engine = fakeEngine()) => {
    api = await served(engine)
    return engine
  }
  const call = (method: string, path: string, sent?: Sent): Promise<Answer> => {
    if (!api) throw new Error('nothing is served')
    return api.call(method, path, sent)
  }
  afterEach(() => api?.close())

  describe('GET /dags', () => {
    const fileNames = async (query: string) => {
      const { json } = await call('GET', `/dags${query}`)
      return json.dags.map(({ fileName }: { fileName: string }) => fileName)
    }

    it('on an empty directory', async () => {
      await serving()
      expect((await call('GET', '/dags')).json).to.deep.equal({
        dags: [],
        errors: [],
        pagination: { totalRecords: 0, currentPage: 1, totalPages: 1, nextPage: null, prevPage: null }
      })
    })

    it('3 DAGs, perPage 2: page 1 next 2 prev null; page 2 next null prev 1; page 9 empty', async () => {
      await serving(fakeEngine({}, { a: planOf('a'), b: planOf('b'), c: planOf('c') }))
      const pagination = async (page: number) => {
        const { json } = await call('GET', `/dags?perPage=2&page=${page}`)
        return [json.dags.length, json.pagination]
      }
      const all = { totalRecords: 3, totalPages: 2 }
      expect(await pagination(1)).to.deep.equal([2, { ...all, currentPage: 1, nextPage: 2, prevPage: null }])
      expect(await pagination(2)).to.deep.equal([1, { ...all, currentPage: 2, nextPage: null, prevPage: 1 }])
      expect(await pagination(9)).to.deep.equal([0, { ...all, currentPage: 9, nextPage: null, prevPage: 2 }])
    })

    it('page < 1 or absent -> 1; perPage absent or < 1 -> 50, > 1000 -> 1000', async () => {
      const plans = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`d${at}`, planOf(`d${at}`)]))
      await serving(fakeEngine({}, plans))
      const shown = async (query: string) => {
        const { dags, pagination } = (await call('GET', `/dags${query}`)).json
        return [dags.length, pagination.currentPage]
      }
      for (const query of ['', '?page=0', '?page=-1', '?perPage=0', '?perPage=-1']) {
        expect(await shown(query), query).to.deep.equal([50, 1])
      }
      expect(await shown('?perPage=5000')).to.deep.equal([1_000, 1])
      expect(await shown('?perPage=5000&page=2')).to.deep.equal([1, 2])
    })

    it('name: case-insensitive substring of the file name', async () => {
      await serving(fakeEngine({}, { nightly: planOf('sales'), daily: planOf('nightly') }))
      expect(await fileNames('?name=IGHT')).to.deep.equal(['nightly'])
      expect(await fileNames('?name=.*')).to.deep.equal([])
    })

    it('tag: case-insensitive equality, a repeated tag = all must match, a comma is not a separator', async () => {
      const tagged = (...tags: string[]) => planOf('x', { tags })
      await serving(fakeEngine({}, { one: tagged('etl'), two: tagged('etl', 'daily'), three: tagged('etl,daily') }))
      expect(await fileNames('?tag=ETL')).to.deep.equal(['one', 'two'])
      expect(await fileNames('?tag=etl&tag=daily')).to.deep.equal(['two'])
      expect(await fileNames('?tag=etl,daily')).to.deep.equal(['three'])
    })

    it('sort name, case-insensitive by DAG name, order asc or desc; an unknown sort is name', async () => {
      await serving(fakeEngine({}, { x: planOf('b'), y: planOf('A'), z: planOf('c') }))
      expect(await fileNames('')).to.deep.equal(['y', 'x', 'z'])
      expect(await fileNames('?sort=name&order=desc')).to.deep.equal(['z', 'x', 'y'])
      expect(await fileNames('?sort=colour&order=up')).to.deep.equal(['y', 'x', 'z'])
    })

    it('sort nextRun: unscheduled among themselves by name in the given order', async () => {
      await serving(fakeEngine({}, { x: planOf('b'), y: planOf('a') }))
      expect(await fileNames('?sort=nextRun')).to.deep.equal(['y', 'x'])
      expect(await fileNames('?sort=nextRun&order=desc')).to.deep.equal(['x', 'y'])
    })

    it('latestDAGRun: a running run if there is one, else the newest', async () => {
      const engine = await serving(fakeEngine({}, { a: planOf('a'), b: planOf('b') }))
      engine.addRun({ name: 'a', dagRunId: 'old', status: 'running', createdAt: 1, startedAt: 1 })
      engine.addRun({ name: 'a', dagRunId: 'new', createdAt: 2 })
      engine.addRun({ name: 'b', dagRunId: 'old', createdAt: 1 })
      engine.addRun({ name: 'b', dagRunId: 'new', createdAt: 2 })
      const { dags } = (await call('GET', '/dags')).json
      expect(dags[0].latestDAGRun).to.include({ dagRunId: 'old', status: 1, statusLabel: 'running' })
      expect(dags[1].latestDAGRun).to.include({ dagRunId: 'new', status: 4, statusLabel: 'succeeded' })
    })

    it('latestDAGRun if never run: empty strings, status 0, name = DAG name', async () => {
      await serving(fakeEngine({}, { file: planOf('other') }))
      expect((await call('GET', '/dags')).json.dags[0].latestDAGRun).to.deep.equal({
        rootDAGRunName: '',
        rootDAGRunId: '',
        parentDAGRunName: '',
        parentDAGRunId: '',
        dagRunId: '',
        name: 'other',
        status: 0,
        statusLabel: 'not_started',
        queuedAt: '',
        startedAt: '',
        finishedAt: '',
        log: '',
        params: '',
        workerId: '',
        attempt: 0
      })
    })

    it('DAGSummary: all members; params are names, defaultParams can be sent back as params', async () => {
      const params = [
        { name: '1', value: 'one', positional: true },
        { name: 'DAY', value: 'a "b" \\', positional: false }
      ]
      await serving(fakeEngine({}, { f: planOf('n', { group: 'g', description: 'd', tags: ['t'], params }) }))
      expect((await call('GET', '/dags')).json.dags[0]).to.deep.include({
        fileName: 'f',
        suspended: false,
        errors: [],
        dag: {
          name: 'n',
          group: 'g',
          description: 'd',
          schedule: [],
          params: ['1', 'DAY'],
          defaultParams: '1="one" DAY="a \\"b\\" \\\\"',
          tags: ['t'],
          queue: '',
          maxActiveRuns: 1,
          nextRun: ''
        }
      })
    })

    it('a definition that fails validation is still listed, with its problems in its own errors', async () => {
      const engine = await serving()
      engine.texts.set('broken', 'name: shown\ntags: etl\nsteps:\n  - a\ndepends: nobody\n')
      const { dags, errors } = (await call('GET', '/dags?tag=etl')).json
      expect([dags[0].dag.name, dags[0].errors, errors]).to.deep.equal(['shown', ['no step nobody'], []])
    })

    it('a file that cannot be parsed at all is listed by file name, with the message in both errors', async () => {
      const engine = await serving()
      engine.texts.set('garbage', '\t')
      const { dags, errors } = (await call('GET', '/dags')).json
      expect([dags[0].dag.name, dags[0].errors]).to.deep.equal(['garbage', ['line 1: found a tab']])
      expect(errors).to.deep.equal(['garbage: line 1: found a tab'])
    })
  })

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

    it('twice the same: 409 already_exists', async () => {
      await serving()
      await call('POST', '/dags', { body: { name: 'x' } })
      const { status, json } = await call('POST', '/dags', { body: { name: 'x' } })
      expect([status, json.code]).to.deep.equal([409, 'already_exists'])
    })
  })

  describe('GET /dags/{fileName}', () => {
    it('-> {dag, localDags, latestDAGRun, suspended, errors}; DAGDetails has all members', async () => {
      const local = (name: string) => planOf(name, { steps: [stepOf('k1', { command: 'echo hi' })] })
      const plan = planOf('n', {
        env: [{ key: 'A', value: '${B}' }],
        preconditions: [{ condition: '`date`', expected: 're:x', error: 'not today' }],
        maxActiveRuns: -1,
        maxActiveSteps: 3,
        handlers: { exit: stepOf('onExit', { command: 'echo done' }) },
        steps: [stepOf('a', { command: 'echo hi' })],
        locals: [local('kid2'), local('kid1')]
      })
      await serving(fakeEngine({}, { f: plan }))
      const { json } = await call('GET', '/dags/f')
      expect(json).to.have.all.keys('dag', 'localDags', 'latestDAGRun', 'suspended', 'errors')
      expect(json.dag).to.deep.equal({
        name: 'n',
        group: '',
        description: '',
        schedule: [],
        params: [],
        defaultParams: '',
        tags: [],
        queue: '',
        maxActiveRuns: -1,
        nextRun: '',
        env: ['A=${B}'],
        logDir: '',
        handlerOn: { exit: { name: 'onExit', command: 'echo', args: ['done'], cmdWithArgs: 'echo done' } },
        steps: [{ name: 'a', command: 'echo', args: ['hi'], cmdWithArgs: 'echo hi' }],
        delay: 0,
        histRetentionDays: 30,
        preconditions: [{ condition: '`date`', expected: 're:x', error: 'not today' }],
        maxActiveSteps: 3,
        runConfig: { disableParamEdit: false, disableRunIdEdit: false }
      })
      const [first, second] = json.localDags
      expect([first.name, second.name, first.errors, first.dag.steps[0].command]).to.deep.equal([
        'kid1',
        'kid2',
        [],
        'echo'
      ])
      expect(first.dag).to.have.all.keys(...Object.keys(json.dag))
    })

    it('latestDAGRun never-run: nodes built from the steps, all status 0', async () => {
      await serving(fakeEngine({}, { f: planOf('n', { steps: [stepOf('a', { command: 'x' })] }) }))
      const { latestDAGRun } = (await call('GET', '/dags/f')).json
      expect(latestDAGRun).to.deep.include({
        name: 'n',
        dagRunId: '',
        status: 0,
        attempt: 0,
        error: '',
        preconditions: [],
        onExit: null,
        onSuccess: null,
        onFailure: null,
        onCancel: null
      })
      expect(latestDAGRun.nodes).to.deep.equal([
        {
          step: { name: 'a', command: 'x', cmdWithArgs: 'x' },
          stdout: '',
          stderr: '',
          startedAt: '',
          finishedAt: '',
          status: 0,
          statusLabel: 'not_started',
          retryCount: 0,
          doneCount: 0,
          subRuns: [],
          subRunsRepeated: [],
          error: ''
        }
      ])
    })

    it('latestDAGRun is RunDetails of the DAG name, not of the file name', async () => {
      const plan = planOf('n', { steps: [stepOf('a')] })
      const engine = await serving(fakeEngine({}, { f: plan }))
      engine.addRun({ name: 'n', dagRunId: 'r-1' }, { plan })
      engine.addRun({ name: 'f', dagRunId: 'r-2', createdAt: 5 })
      const { latestDAGRun } = (await call('GET', '/dags/f')).json
      expect([latestDAGRun.dagRunId, latestDAGRun.nodes[0].statusLabel]).to.deep.equal(['r-1', 'succeeded'])
    })

    it('works for invalid definitions and unparsable ones', async () => {
      const engine = await serving()
      engine.texts.set('invalid', 'steps:\n  - a\ndepends: nobody\n')
      engine.texts.set('garbage', '\t')
      const invalid = await call('GET', '/dags/invalid')
      expect([invalid.status, invalid.json.errors, invalid.json.dag.steps.length]).to.deep.equal([
        200,
        ['no step nobody'],
        1
      ])
      const garbage = await call('GET', '/dags/garbage')
      expect([garbage.status, garbage.json.errors, garbage.json.dag.name]).to.deep.equal([
        200,
        ['line 1: found a tab'],
        'garbage'
      ])
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

  it('GET spec, PUT spec, start of a missing definition: 404 each', async () => {
    await serving()
    for (const [method, path] of [
      ['GET', '/dags/nobody'],
      ['GET', '/dags/nobody/spec'],
      ['PUT', '/dags/nobody/spec'],
      ['POST', '/dags/nobody/start']
    ] as const) {
      const { status, json } = await call(method, path, { body: { spec: 'x', params: 5 } })
      expect([status, json.code], path).to.deep.equal([404, 'not_found'])
    }
  })
})
