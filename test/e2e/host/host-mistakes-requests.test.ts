/** Wrong requests of a host application, above all from JavaScript: each is named, and nothing changes. Source: docs/configuration.md "In a host application". */
import { expect } from 'chai'
import { createEngine, type Engine, type TroupeError } from '../../../src/index.ts'
import { problemsOf } from '../../support/engine/refusals.ts'

describe('Engine › requests of a host application', () => {
  let engine: Engine
  before(async () => {
    engine = await createEngine({ temporary: true, defaultShell: 'sh' })
  })
  after(() => engine.close())
  const spec = 'name: a\nsteps: ["true"]\n'
  const call = (name: keyof Engine, ...input: unknown[]) =>
    problemsOf(async () => await (engine[name] as (...input: unknown[]) => unknown)(...input))

  it('what has another type is refused with what was wanted and found, and no run has begun', async () => {
    expect(await call('start', { spec: 5 })).to.deep.equal(['start: spec: wanted text, found 5'])
    expect(await call('start', { spec, params: { A: 1 }, dagRunId: 7, singleton: 'no' })).to.deep.equal([
      'start: params: wanted text, found an object',
      'start: dagRunId: wanted text, found 7',
      'start: singleton: wanted true or false, found "no"'
    ])
    expect(await call('start')).to.deep.equal(['start: wanted an object, found nothing'])
    expect(await call('enqueue', spec)).to.deep.equal([
      'enqueue: wanted an object, found "name: a\\nsteps: [\\"true\\"]\\n"'
    ])
    expect(await call('start', { fromRun: 'r-1' })).to.deep.equal(['start: fromRun: wanted an object, found "r-1"'])
    expect(engine.runs()).to.deep.equal([])
  })

  it('a member that is unknown is refused by name, with the nearest known one; a run may be named by its record', async () => {
    expect(await call('start', { spec, singelton: true })).to.deep.equal([
      'start: unknown member singelton; did you mean singleton?'
    ])
    expect(await call('enqueue', { spec, zebra: 1 })).to.deep.equal(['enqueue: unknown member zebra'])
    const [ttl] = await call('start', { spec, ttl: '1h' })
    expect(ttl).to.match(/^start: unknown member ttl; Troupe does not have it/)
    const key = { name: 'a', dagRunId: 'r' }
    expect(await call('retry', key, { step: 'x' })).to.deep.equal(['retry: unknown member step'])
    expect(await call('reschedule', key, { name: 'x' })).to.deep.equal(['reschedule: unknown member name'])
    expect(engine.runs()).to.deep.equal([])
    const { run } = await engine.result(await engine.start({ spec, dagRunId: 'r-2' }))
    expect((await engine.result(run)).run.dagRunId).to.equal('r-2')
  })

  it('a status that nobody can set is refused, and the step keeps its own', async () => {
    const key = await engine.start({ spec, dagRunId: 'r-3' })
    await engine.result(key)
    for (const status of ['sucess', 'partially_succeeded', 4])
      expect(await call('setNodeStatus', { root: key, step: 'cmd_1' }, status)).to.deep.equal([
        'setNodeStatus: status: wanted not_started, running, failed, canceled, succeeded or skipped, ' +
          `found ${JSON.stringify(status)}`
      ])
    expect(engine.run(key)?.nodes[0]?.node.status).to.equal('succeeded')
  })

  it('changes of definitions and subscriptions are looked at too', async () => {
    expect(await call('createDefinition', 'x', 5)).to.deep.equal(['createDefinition: spec: wanted text, found 5'])
    expect(await call('replaceDefinition', 'x')).to.deep.equal(['replaceDefinition: spec: wanted text, found nothing'])
    expect(await call('renameDefinition', 'x', 5)).to.deep.equal([
      'renameDefinition: newFileName: wanted text, found 5'
    ])
    expect(await call('suspendDefinition', 'x')).to.deep.equal([
      'suspendDefinition: suspended: wanted true or false, found nothing'
    ])
    expect(await call('validate', 5)).to.deep.equal(['validate: spec: wanted text, found 5'])
    expect(await call('subscribe', 'x')).to.deep.equal(['subscribe: listen: wanted a function, found "x"'])
    expect(await call('subscribe', () => {}, { name: 'a' })).to.deep.equal([
      'subscribe: run: dagRunId: wanted text, found nothing'
    ])
    expect(engine.definitions()).to.deep.equal([])
  })

  it('a definition is removed by its name alone: one that is called as a missing name reads stays', async () => {
    await engine.createDefinition('undefined')
    await engine.createDefinition('5')
    expect(await call('removeDefinition')).to.deep.equal(['removeDefinition: fileName: wanted text, found nothing'])
    expect(await call('removeDefinition', 5)).to.deep.equal(['removeDefinition: fileName: wanted text, found 5'])
    expect(engine.definitions().map(({ fileName }) => fileName)).to.deep.equal(['5', 'undefined'])
    for (const fileName of ['5', 'undefined']) engine.removeDefinition(fileName)
    expect(engine.definitions()).to.deep.equal([])
  })

  it('close: a way that there is not is refused, and the engine goes on', async () => {
    expect(await call('close', { runs: 'Stop' })).to.deep.equal(['close: runs: wanted leave or stop, found "Stop"'])
    expect(await call('close', 'stop')).to.deep.equal(['close: wanted an object, found "stop"'])
    expect(await call('close', { run: 'stop' })).to.deep.equal(['close: unknown member run; did you mean runs?'])
    expect((await engine.health()).healthy).to.equal(true)
  })

  it('a run is named by its name and id, whatever is asked of it', async () => {
    for (const name of ['stop', 'dequeue', 'retry', 'reschedule', 'result'] as const) {
      expect(await call(name)).to.deep.equal([`${name}: wanted an object, found nothing`])
      expect(await call(name, 'x')).to.deep.equal([`${name}: wanted an object, found "x"`])
      expect(await call(name, { name: 'a' })).to.deep.equal([`${name}: dagRunId: wanted text, found nothing`])
    }
    const key = { name: 'a', dagRunId: 'r' }
    expect(await call('retry', key, { stepName: 5 })).to.deep.equal(['retry: stepName: wanted text, found 5'])
    expect(await call('reschedule', key, 'b')).to.deep.equal(['reschedule: wanted an object, found "b"'])
    expect(await call('setNodeStatus', { root: key, step: 5 }, 'failed')).to.deep.equal([
      'setNodeStatus: step: wanted text, found 5'
    ])
  })

  it('a start has one source: two of them are refused, none is left out without a word', async () => {
    for (const name of ['start', 'enqueue'] as const)
      expect(await call(name, { spec, fileName: 'a', file: undefined })).to.deep.equal([
        `${name}: wanted spec, file, fileName or fromRun, found spec and fileName`
      ])
    expect(await call('start', { file: 'a.yaml', fromRun: { name: 'a', dagRunId: 'r' } })).to.deep.equal([
      'start: wanted spec, file, fileName or fromRun, found file and fromRun'
    ])
  })

  it('a start without a source is refused with the possible ones; an empty path is none', async () => {
    for (const name of ['start', 'enqueue'] as const) {
      for (const input of [{}, { name: 'a', params: 'x' }, { spec: undefined }])
        expect(await call(name, input)).to.deep.equal([
          `${name}: wanted spec (the text of a definition), file (the path of one), fileName (the name of a stored one) or fromRun (the key of an earlier run), found none of them`
        ])
      const refused = await engine[name]({ file: '' }).catch((error: TroupeError) => error)
      expect(refused).to.include({ code: 'bad_request', message: 'file: wanted a path, found ""' })
    }
  })

  it('queries are checked as commands are, those of the engine and of its inspection', async () => {
    for (const name of ['run', 'record', 'subRun', 'subRuns', 'runSpec', 'journal'] as const) {
      expect(await call(name)).to.deep.equal([`${name}: wanted an object, found nothing`])
      expect(await call(name, { name: 'a', dagRunId: 5 })).to.deep.equal([`${name}: dagRunId: wanted text, found 5`])
    }
    expect(await call('runs', { limit: 'x', status: ['done'], nam: 'a' })).to.deep.equal([
      'runs: unknown member nam; did you mean name?',
      'runs: status[0]: wanted not_started, running, failed, canceled, succeeded, queued or partially_succeeded, found "done"',
      'runs: limit: wanted a number, found "x"'
    ])
    expect(await call('inspect')).to.deep.equal(['facts.run: wanted an object, found nothing'])

    const key = await engine.start({ spec, dagRunId: 'asked' })
    await engine.result(key)
    const ask = (name: keyof Engine['facts'], ...input: unknown[]) =>
      problemsOf(async () => await (engine.facts[name] as (...input: unknown[]) => unknown)(...input))
    for (const name of ['run', 'events', 'explain', 'sequence'] as const)
      expect(await ask(name)).to.deep.equal([`facts.${name}: wanted an object, found nothing`])
    expect(await ask('run', key, { at: '2' })).to.deep.equal(['facts.run: at: wanted a number, found "2"'])
    expect(await ask('events', key, { limit: 'x', causes: 1 })).to.deep.equal([
      'facts.events: limit: wanted a number, found "x"',
      'facts.events: causes: wanted true or false, found 1'
    ])
    expect(await ask('sequence', key, { limit: Number.NaN })).to.deep.equal([
      'facts.sequence: limit: wanted a number, found NaN'
    ])
    expect(await ask('explain', key, 5)).to.deep.equal(['facts.explain: step: wanted text, found 5'])
    expect(await ask('decisions', { fileName: 5 })).to.deep.equal(['facts.decisions: fileName: wanted text, found 5'])
    expect(engine.facts.run(key, { at: undefined }).at).to.equal(engine.facts.run(key).latest)
    expect(engine.runs({ limit: 1, status: ['succeeded'], name: undefined } as object)).to.have.length(1)
  })

  it('an empty name, id or queue of a request is none, as for callers of the API', async () => {
    const empty = { spec, name: '', dagName: '', dagRunId: '', queue: '' }
    const started = await engine.result(await engine.start(empty))
    expect([started.run.name, started.run.queue]).to.deep.equal(['a', 'a'])
    const waiting = await engine.enqueue(empty)
    expect(engine.record(waiting)?.queue).to.equal('a')
    await engine.result(waiting)
  })

  it('right ones go through, members that are undefined are absent', async () => {
    const request = { spec, dagRunId: 'r-1', params: undefined, queue: undefined } as object
    const key = await engine.start(request)
    expect((await engine.result(key)).run.status).to.equal('succeeded')
  })
})
