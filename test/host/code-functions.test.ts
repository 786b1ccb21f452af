/** Functions of definitions in code: what they get, what comes of what they throw, and the doors of the API. Source: embedding 1, 2.1 to 2.5. */
import { expect } from 'chai'
import { z } from 'zod'
import { fetchHandler } from '../../src/http/index.ts'
import { createEngine, defineDag, defineFunction, type Engine, RunFailed, type TroupeError } from '../../src/index.ts'

const label = defineFunction(
  { name: 'label', params: z.object({ text: z.string(), copies: z.number().default(2) }) },
  ({ params }) => `${params.text} x ${params.copies}`
)
const part = defineDag({ name: 'part', params: z.object({ size: z.number(), tags: z.array(z.string()) }) }, (d) =>
  d.step('cut', {}, ({ params }) => ({ cut: params.size * 2, tags: params.tags }))
)
const whole = defineDag(
  {
    name: 'whole',
    params: z.object({ list: z.array(z.number()) }),
    signals: { paid: z.object({ cents: z.number() }) }
  },
  (d) => {
    const sum = d.step('sum', {}, ({ params }) => params.list.reduce((a, b) => a + b, 0))
    const shown = d.shell('shown', 'echo "$SUM"', {
      depends: [sum],
      env: ({ results }) => ({ SUM: `is ${results.sum}` })
    })
    const never = d.shell('never', 'echo never', { depends: [sum], preconditions: ({ results }) => results.sum > 100 })
    const used = d.use('used', label, { depends: [sum], params: ({ results }) => ({ text: String(results.sum) }) })
    const called = d.call('called', part, {
      depends: [sum],
      params: ({ results }) => ({ size: results.sum, tags: ['a'] })
    })
    const paid = d.signal('paid', { depends: [sum], ask: ({ results }) => `pay ${results.sum}` })
    const nap = d.sleep('nap', { depends: [sum], for: ({ params }) => `PT0.0${params.list.length}S` })
    const each = d.each(
      'each',
      { depends: [sum], items: ({ params }) => params.list },
      ({ item, index }) => item * index
    )
    const all = d.step('all', { depends: [shown, used, called, paid, nap, each] }, ({ results }) => ({
      ...results,
      paid: results.paid.payload.cents
    }))
    return { all, never }
  }
)
const throwing = defineDag({ name: 'throwing' }, (d) =>
  d.step('bad', {}, (): number => {
    throw Object.assign(new RangeError('too much', { cause: new Error('of it') }), { code: 'E_MUCH' })
  })
)

describe('functions of definitions in code', () => {
  let engine: Engine
  before(async () => {
    engine = await createEngine({ temporary: true, defaultShell: 'sh', dags: [whole, part, throwing] })
  })
  after(() => engine.close())

  it('every construct: params and results come as they were made, answers are asked once', async () => {
    const run = await engine.start(whole, { list: [1, 2, 3] })
    for await (const { to, step } of run.events()) if (to === 'awaiting' && step === 'paid') break
    expect(engine.waiting({ dag: 'whole' }).map(({ ask }) => ask)).to.deep.equal(['pay 6'])
    await run.signal('paid', { cents: 5 })
    expect(await run.result({ timeoutMs: 30_000 })).to.deep.equal({
      never: null,
      all: {
        shown: 'is 6',
        used: '6 x 2',
        called: { cut: 12, tags: ['a'] },
        paid: 5,
        nap: null,
        each: [0, 2, 6]
      }
    })
  })
  it('RunFailed: the step, and as its cause what the function has thrown, with code and causes', async () => {
    const run = await engine.start(throwing, {})
    const error: RunFailed = await run.result().then(
      () => expect.fail('it has not failed'),
      (error) => error
    )
    expect(error).to.be.instanceOf(RunFailed)
    expect(error.step).to.equal('bad')
    const cause = error.cause as Error & { code?: string }
    expect(cause).to.include({ name: 'RangeError', message: 'too much', code: 'E_MUCH' })
    expect(cause.cause).to.include({ message: 'of it' })
  })
  it('a name that stands for two functions is refused, with both places', async () => {
    const other = defineFunction({ name: 'label', params: z.object({}) }, () => null)
    const taken = defineFunction({ name: 'whole/sum', params: z.object({}) }, () => null)
    const error: TroupeError = await createEngine({ temporary: true, dags: [whole], functions: [other, taken] }).then(
      () => expect.fail('it was not refused'),
      (error) => error
    )
    expect(error.details?.errors).to.deep.equal([
      'functions: the name "whole/sum" is that of a step of DAG "whole"',
      'DAG "whole": step "used" uses another function "label" than the engine has: names are unique'
    ])
  })
  it('over HTTP a definition in code is shown as YAML and is not changed; a start is checked by its schema', async () => {
    const handler = fetchHandler(engine, { authorize: () => ({ name: 'eve', permissions: ['read', 'run', 'write'] }) })
    const ask = async (method: string, path: string, body?: object) => {
      const response = await handler(
        new Request(`http://localhost/api/v2${path}`, {
          method,
          ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {})
        })
      )
      return { status: response.status, body: (await response.json()) as { spec?: string; message?: string } }
    }
    expect((await ask('GET', '/dags/part/spec')).body.spec).to.equal(part.toYaml())
    const edit = await ask('PUT', '/dags/part/spec', { spec: 'steps: [true]' })
    expect([edit.status, edit.body.message]).to.deep.equal([
      403,
      'part is defined in the code of the application that runs this engine: change it there'
    ])
    const wrong = await ask('POST', '/dags/part/start', { params: '{"size": "x", "tags": []}' })
    expect([wrong.status, wrong.body.message]).to.deep.equal([
      400,
      'params of DAG "part": size: Invalid input: expected number, received string'
    ])
    expect((await ask('POST', '/dags/part/start', { params: '{"size": 2, "tags": []}' })).status).to.equal(200)
  })
})
