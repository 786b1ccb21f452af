/** One run over HTTP: all of its members. Source: http-api "Runs"; api-semantics 3.5, 3.7. */
import { expect } from 'chai'
import { type FakeEngine, nodeOf, planOf, stepOf } from '../../support/engine/fake-engine.ts'
import { eachWithRuns } from '../each-with-runs.ts'

describe('API › runs', () => {
  const { serving, call, codeOf } = eachWithRuns()
  let engine: FakeEngine
  beforeEach(async () => {
    engine = await serving()
  })

  describe('GET /dag-runs/{name}/{dagRunId}', () => {
    it('-> the same details under dagRun and dagRunDetails', async () => {
      engine.addRun({ name: 'nightly', dagRunId: 'r-17' })
      const { status, json } = await call('GET', '/dag-runs/nightly/r-17')
      expect([status, Object.keys(json), json.dagRun.dagRunId]).to.deep.equal([
        200,
        ['dagRun', 'dagRunDetails'],
        'r-17'
      ])
      expect(json.dagRunDetails).to.deep.equal(json.dagRun)
    })

    it('RunSummary: all members, times with the offset of the configured timezone, empty string for not yet', async () => {
      engine.addRun({
        name: 'nightly',
        dagRunId: 'r-17',
        status: 'running',
        startedAt: Date.UTC(2026, 2, 1, 0, 15, 0, 999),
        params: [
          { name: '1', value: 'one' },
          { name: 'X', value: '5' }
        ],
        log: '/srv/run.log'
      })
      expect((await call('GET', '/dag-runs')).json.dagRuns[0]).to.deep.equal({
        rootDAGRunName: 'nightly',
        rootDAGRunId: 'r-17',
        parentDAGRunName: '',
        parentDAGRunId: '',
        dagRunId: 'r-17',
        name: 'nightly',
        status: 1,
        statusLabel: 'running',
        queuedAt: '',
        startedAt: '2026-03-01T09:15:00+09:00',
        startedAtMs: Date.UTC(2026, 2, 1, 0, 15, 0, 999),
        finishedAt: '',
        log: '/srv/run.log',
        params: '1=one X=5',
        workerId: 'local',
        attempt: 1
      })
    })

    it('a node that was given to a worker has workerId and lease, a handler too; others lack both', async () => {
      const onWorker = (name: string, id: string) => ({
        step: stepOf(name, { command: 'true' }),
        node: nodeOf(name, { worker: { id, lease: 1_000_000_007 } })
      })
      engine.addRun(
        { name: 'nightly', dagRunId: 'r-19' },
        {
          plan: planOf('nightly', { steps: [] }),
          nodes: [onWorker('load', 'gpu-1'), { step: stepOf('wait', {}), node: nodeOf('wait', {}) }],
          handlers: { onExit: onWorker('onExit', 'gpu-2') },
          preconditions: []
        }
      )
      const { nodes, onExit } = (await call('GET', '/dag-runs/nightly/r-19')).json.dagRun
      expect([nodes[0].workerId, nodes[0].lease]).to.deep.equal(['gpu-1', 1_000_000_007])
      expect(nodes[1]).to.not.have.any.keys('workerId', 'lease')
      expect([onExit.workerId, onExit.lease]).to.deep.equal(['gpu-2', 1_000_000_007])
    })

    it('RunDetails adds nodes, preconditions, handlers (Node or null) and error', async () => {
      const step = stepOf('load', {
        command: 'sh "pull it.sh"',
        preconditions: [
          { condition: 'test -f x', error: 'no x' },
          { condition: '$A', expected: '1' }
        ]
      })
      const node = nodeOf('load', {
        status: 'skipped',
        stdout: '/srv/load.out',
        stderr: '/srv/load.err',
        startedAt: 0,
        finishedAt: 1_000,
        retryCount: 2,
        doneCount: 3,
        error: 'no x',
        conditions: [{ matched: false, error: 'no x' }]
      })
      const exit = {
        step: stepOf('onExit', { command: 'true' }),
        node: nodeOf('onExit', { status: 'not_started', doneCount: 0 })
      }
      const plan = planOf('nightly', { steps: [step] })
      engine.addRun(
        { name: 'nightly', dagRunId: 'r-18', status: 'canceled', error: 'condition was not met' },
        {
          plan,
          nodes: [{ step, node }],
          handlers: { onExit: exit },
          preconditions: [{ condition: { condition: 'true', expected: '' }, matched: true, error: '' }]
        }
      )
      const { dagRun } = (await call('GET', '/dag-runs/nightly/r-18')).json
      expect(dagRun).to.include({ status: 3, statusLabel: 'canceled', error: 'condition was not met', workerId: '' })
      expect(dagRun.nodes).to.deep.equal([
        {
          step: {
            name: 'load',
            command: 'sh',
            args: ['pull it.sh'],
            cmdWithArgs: 'sh "pull it.sh"',
            preconditions: [
              { condition: 'test -f x', expected: '', error: 'no x', matched: false },
              { condition: '$A', expected: '1', error: '' }
            ]
          },
          stdout: '/srv/load.out',
          stderr: '/srv/load.err',
          startedAt: '1970-01-01T09:00:00+09:00',
          startedAtMs: 0,
          finishedAt: '1970-01-01T09:00:01+09:00',
          finishedAtMs: 1_000,
          status: 5,
          statusLabel: 'skipped',
          retryCount: 2,
          doneCount: 3,
          subRuns: [],
          subRunsRepeated: [],
          error: 'no x'
        }
      ])
      expect(dagRun.preconditions).to.deep.equal([{ condition: 'true', expected: '', error: '', matched: true }])
      expect(dagRun.onExit).to.deep.include({ status: 0, statusLabel: 'not_started' })
      expect([dagRun.onSuccess, dagRun.onFailure, dagRun.onCancel]).to.deep.equal([null, null, null])
    })

    it('latest is the most recent run, unknown is 404', async () => {
      expect(await codeOf('GET', '/dag-runs/nightly/latest')).to.deep.equal([404, 'not_found'])
      engine.addRun({ name: 'nightly', dagRunId: 'r-1', createdAt: 1, status: 'running' })
      engine.addRun({ name: 'nightly', dagRunId: 'r-2', createdAt: 2 })
      expect((await call('GET', '/dag-runs/nightly/latest')).json.dagRun.dagRunId).to.equal('r-2')
      expect(await codeOf('GET', '/dag-runs/nightly/r-3')).to.deep.equal([404, 'not_found'])
      expect(await codeOf('GET', '/dag-runs/other/r-1')).to.deep.equal([404, 'not_found'])
    })
  })

  describe('GET /dags/{fileName}/dag-runs/{dagRunId}', () => {
    it('-> {dagRun, dagRunDetails} by the DAG name of the file; latest allowed; 404 otherwise', async () => {
      engine.addRun({ name: 'other', dagRunId: 'r-1' })
      const { status, json } = await call('GET', '/dags/file/dag-runs/r-1')
      expect([status, json.dagRun.name, json.dagRunDetails.dagRunId]).to.deep.equal([200, 'other', 'r-1'])
      expect((await call('GET', '/dags/file/dag-runs/latest')).json.dagRun.dagRunId).to.equal('r-1')
      expect(await codeOf('GET', '/dags/file/dag-runs/r-2')).to.deep.equal([404, 'not_found'])
    })

    it('missing definition: history is still served by that name', async () => {
      engine.addRun({ name: 'deleted', dagRunId: 'r-1' })
      expect((await call('GET', '/dags/deleted/dag-runs/r-1')).json.dagRun.name).to.equal('deleted')
    })
  })
})
