/** Definitions in code among those of an engine; runs with types. Source: embedding 1, 2.2, 2.7; docs/embedding/README.md. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import * as v from 'valibot'
import { z } from 'zod'
import {
  createEngine,
  defineDag,
  type Engine,
  type EngineEvent,
  RunCanceled,
  RunFailed,
  SignalRefused,
  type TroupeError,
  WaitTimedOut
} from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'

const greet = defineDag(
  { name: 'greet', params: z.object({ who: z.string(), times: z.number().default(1) }), tags: ['code'] },
  (d) => d.shell('say', 'echo "hello $who, $times times"')
)
const wait = defineDag(
  {
    name: 'wait',
    signals: { paid: z.object({ cents: z.number() }), later: v.object({ code: v.string() }) },
    maxActiveRuns: 9
  },
  (d) => {
    const paid = d.signal('paid', { ask: 'pay' })
    const later = d.signal('later', { depends: [paid], timeoutSec: 3_600, onTimeout: 'skip' })
    return { paid, later }
  }
)
const fails = defineDag({ name: 'fails' }, (d) => d.shell('break', 'exit 3'))
const caller = defineDag({ name: 'caller' }, (d) => {
  const stored = d.yaml('stored', { call: 'stored' })
  return { stored }
})

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it was not refused'),
    (error: unknown) => error as TroupeError
  )

describe('definitions in code', () => {
  let engine: Engine
  before(async () => {
    const home = temporaryFolder()
    mkdirSync(join(home, 'dags'))
    writeFileSync(
      join(home, 'dags', 'stored.yaml'),
      'result: answer\nsteps: [{name: answer, command: echo 42, output: A}]\n'
    )
    writeFileSync(
      join(home, 'dags', 'calls.yaml'),
      'steps: [{name: c, call: greet, params: "who=you times=3", output: R}]\n'
    )
    writeFileSync(join(home, 'dags', 'fails.yaml'), 'steps: [echo "the file of the same name"]\n')
    engine = await createEngine({ home, defaultShell: 'sh', dags: [greet, wait, fails, caller] })
  })
  after(() => engine.close())

  it('are listed, and shown as YAML; one hides a file of its name', () => {
    const names = engine.definitions().map(({ fileName, inCode = false }) => `${fileName}${inCode ? ' (code)' : ''}`)
    expect(names).to.deep.equal(['caller (code)', 'calls', 'fails (code)', 'greet (code)', 'stored', 'wait (code)'])
    expect(engine.definitions()).to.equal(engine.definitions())
    expect(engine.spec('greet')).to.equal(greet.toYaml())
    expect(engine.definition('greet').definition.plan).to.deep.include({
      tags: ['code'],
      release: { dag: 'greet', version: greet.version, planHash: greet.planHash }
    })
  })
  it('an edit, a rename and a removal are refused with a sentence; the name is taken; a suspension is not', async () => {
    const sentence = 'greet is defined in the code of the application that runs this engine: change it there'
    const changes = [
      () => engine.replaceDefinition('greet', 'steps: [true]'),
      () => engine.renameDefinition('greet', 'other'),
      async () => engine.removeDefinition('greet')
    ]
    for (const change of changes)
      expect(await refused(change())).to.deep.include({ code: 'forbidden', message: sentence })
    expect(await refused(engine.createDefinition('greet'))).to.include({ code: 'already_exists' })
    expect(await refused(engine.renameDefinition('stored', 'greet'))).to.include({ code: 'already_exists' })
    engine.suspendDefinition('greet', true)
    expect(engine.definition('greet').suspended).to.equal(true)
    engine.suspendDefinition('greet', false)
  })

  it('start: typed params, completed by the schema; result() is what the builder returned', async () => {
    const run = await engine.start(greet, { who: 'you' }, { dagRunId: 'typed' })
    expect(await run.result({ timeoutMs: 20_000 })).to.equal('hello you, 1 times')
    expect(run.view().run.params).to.deep.equal([
      { name: 'who', value: 'you' },
      { name: 'times', value: '1', isJson: true }
    ])
    expect(run.view().plan.release?.version).to.equal(greet.version)
  })
  it('wrong params are refused with all issues, and nothing is stored', async () => {
    const before = engine.runs().length
    const error = await refused(engine.start(greet, { who: 7, times: 'x' } as never))
    expect(error.code).to.equal('bad_request')
    expect(error.details?.errors).to.have.length(2)
    expect(error.message).to.match(/^params of DAG "greet": who: .*; times: /)
    const date = await refused(engine.start(greet, { who: new Date(0) } as never))
    expect(date.message).to.equal('params of DAG "greet": who: wanted JSON, as params are stored')
    expect((await refused(engine.start(greet, 'who=you' as never))).message).to.contain('wanted an object')
    expect((await refused(engine.start(fails, { a: 1 } as never))).message).to.contain('wanted none, found a')
    expect(engine.runs()).to.have.length(before)
  })
  it('every other start is checked, too: texts become what the schema wants', async () => {
    const view = await engine.result(await engine.start({ fileName: 'greet', params: 'who=5 times=5' }))
    expect(view.nodes[0]?.node.output).to.equal('hello 5, 5 times')
    expect(view.run.params[1]).to.deep.equal({ name: 'times', value: '5', isJson: true })
    const error = await refused(engine.start({ fileName: 'greet', params: '{"who": 5}' }))
    expect(error.message).to.match(/^params of DAG "greet": who: /)
  })
  it('a reschedule keeps its params with their types; changed ones are refused with the way that there is', async () => {
    const run = await engine.start(greet, { who: 'you', times: 4 }, { dagRunId: 'once-more' })
    await run.result({ timeoutMs: 20_000 })
    const key = { name: 'greet', dagRunId: 'once-more' }
    const again = await engine.result(await engine.reschedule(key, { params: '{"times": "4"}' }))
    expect(again.run.params).to.deep.equal(run.view().run.params)
    const error = await refused(engine.reschedule(key, { params: 'times=5' }))
    expect([error.code, error.message]).to.deep.equal([
      'bad_request',
      'params: wanted those of the earlier run, as greet is defined in code, found others: start it instead'
    ])
  })
  it('call by name works in both directions, with the result of what was called', async () => {
    const view = await engine.result(await engine.start({ fileName: 'calls' }))
    expect(JSON.parse(view.nodes[0]?.node.output ?? '').result).to.equal('hello you, 3 times')
    expect(await (await engine.start(caller, {})).result()).to.deep.equal({ stored: '42' })
  })

  it('signals: payloads are checked by the schema of the code, also over other doors', async () => {
    const run = await engine.start(wait, {}, { dagRunId: 'signals' })
    const wrong = await refused(run.signal('paid', { cents: 'x' } as never))
    expect(wrong).to.be.instanceOf(SignalRefused)
    expect((wrong as SignalRefused).issues).to.have.length(1)
    expect(await refused(engine.signal({ name: 'wait', dagRunId: 'signals', step: 'later' }, { code: 1 }))).to.include({
      code: 'bad_request'
    })
    await run.signal('later', { code: 'early' })
    await run.signal('paid', { cents: 5 }, { by: 'eve', id: '1' })
    await run.signal('paid', { cents: 5 }, { by: 'eve', id: '1' })
    const { paid, later } = await run.result({ timeoutMs: 20_000 })
    expect(paid.payload).to.deep.equal({ cents: 5 })
    expect(paid.by).to.equal('eve')
    expect(later?.payload.code).to.equal('early')
  })
  it('result(): WaitTimedOut leaves the run; an aborted wait has the reason; RunCanceled; RunFailed with the step', async () => {
    const run = await engine.start(wait, {}, { dagRunId: 'ends' })
    expect(await refused(run.result({ timeoutMs: 1 }))).to.be.instanceOf(WaitTimedOut)
    expect(await refused(run.result({ signal: AbortSignal.abort(new Error('enough')) }))).to.include({
      message: 'enough'
    })
    expect(run.view().run.status).to.equal('running')
    const canceled = refused(run.result())
    await run.stop({ by: 'eve' })
    expect(await canceled).to.be.instanceOf(RunCanceled)
    expect(await canceled).to.deep.include({
      why: 'stop',
      by: 'eve',
      via: 'host',
      run: { name: 'wait', dagRunId: 'ends' },
      message: 'run ends of wait was canceled: it was stopped by eve'
    })
    const failed = await refused((await engine.start(fails, {})).result())
    expect(failed).to.be.instanceOf(RunFailed)
    expect(failed).to.include({ step: 'break' })
    expect(failed.message).to.match(/^run .* of fails failed at step break: .*exit status 3/)
    expect(await refused(engine.handle(wait, 'nothing').result())).to.include({ code: 'not_found' })
  })
  it('events(): all of a run, or those after one, up to its end', async () => {
    const run = await engine.start(greet, { who: 'events' }, { dagRunId: 'events' })
    const all: EngineEvent[] = []
    for await (const event of run.events()) all.push(event)
    expect(all.map(({ seq }) => seq)).to.deep.equal(all.map((_, index) => index + 1))
    expect(all.at(-1)).to.include({ to: 'succeeded' })
    const rest: EngineEvent[] = []
    for await (const event of engine.handle(greet, 'events').events({ after: 3 })) rest.push(event)
    expect(rest).to.deep.equal(all.slice(3))
    const open = await engine.start(wait, {}, { dagRunId: 'open' })
    const left = new AbortController()
    const follow = async () => {
      for await (const { to } of open.events({ signal: left.signal }))
        if (to === 'awaiting') left.abort(new Error('left'))
    }
    expect(await refused(follow())).to.include({ message: 'left' })
    await open.stop()
  })
  it('a DAG that the engine does not have, or has in another form, is refused by name', async () => {
    const stranger = defineDag({ name: 'stranger' }, (d) => d.shell('a', 'true'))
    const twin = defineDag({ name: 'fails' }, (d) => d.shell('break', 'exit 4'))
    expect((await refused(engine.start(stranger, {}))).message).to.contain('DAG "stranger" is not among the dags')
    expect((await refused(engine.start(twin, {}))).message).to.contain('DAG "fails" is not the one of this engine')
    expect(() => engine.handle(stranger, 'x')).to.throw('DAG "stranger" is not among the dags')
    const options = await refused(engine.start(fails, {}, { queues: 'x' } as never))
    expect(options.message).to.equal('start: unknown option queues; did you mean queue?')
  })
  it('createEngine names all DAGs that it cannot take', async () => {
    const copy = Object.defineProperty({ name: 'copy' }, Symbol.for('troupe.dag'), { value: true })
    const error = await refused(createEngine({ temporary: true, dags: [greet, copy as never, {} as never, greet] }))
    expect(error.details?.errors).to.deep.equal([
      'dags[1]: wanted what defineDag returns, found DAG "copy" of another copy of the package "troupe" in this program: import both from one (npm ls troupe shows the copies; ESM and CommonJS count as two)',
      'dags[2]: wanted what defineDag returns, found something else',
      'dags[3]: DAG "greet" is there twice, as dags[0], too: give one of them another name'
    ])
  })
  it('a schema that throws is said so, and nothing is stored', async () => {
    const params = z.object({ a: z.string() }).transform(() => {
      throw new Error('out of order')
    })
    const broken = defineDag({ name: 'broken', params }, (d) => d.shell('a', 'true'))
    const dated = defineDag({ name: 'dated', params: z.object({ at: z.coerce.date() }) }, (d) => d.shell('a', 'true'))
    const own = await createEngine({ temporary: true, dags: [broken, dated] })
    try {
      expect((await refused(own.start(broken, { a: '1' }))).message).to.equal(
        'params of DAG "broken" could not be checked, the schema has thrown: out of order'
      )
      expect((await refused(own.start(dated, { at: '2026-01-01' }))).message).to.contain(
        'params of DAG "dated": at: the schema makes something of it that is no JSON'
      )
      expect(own.runs()).to.deep.equal([])
    } finally {
      await own.close()
    }
  })
})
