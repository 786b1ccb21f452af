/** One definition over HTTP, with its latest run. Source: http-api "Definitions", api-semantics 3.2, 3.3; acceptance 1-7. */
import { expect } from 'chai'
import { fakeEngine, planOf, stepOf } from '../../support/engine/fake-engine.ts'
import { eachServed } from '../client.ts'

describe('API › definitions', () => {
  const { serving, call } = eachServed()

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

    it('14.2.5 latestDAGRun never-run: nodes built from the steps, all status 0, without paths of logs', async () => {
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
})
