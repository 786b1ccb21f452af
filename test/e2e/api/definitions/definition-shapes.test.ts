/** Definitions, a DAG that never ran, and the health of the server over HTTP: exactly these members, of these types. Source: api-semantics 1.2, 2. */
import { expect } from 'chai'
import {
  CONDITION,
  DAG_DETAILS,
  DAG_SUMMARY,
  expectRun,
  expectShape,
  integer,
  shapesScene,
  time
} from '../../../support/api/api-shapes.ts'
import type { Json } from '../../../support/api/live-api.ts'

describe('API › shapes of real runs', () => {
  const { api, get, made } = shapesScene()
  let run: Json
  before(async () => {
    run = await made()
  })

  it('DAGSummary and DAGDetails: all members present, of their types', async () => {
    const list = await get('/dags?name=shapes')
    expect(Object.keys(list)).to.deep.equal(['dags', 'errors', 'pagination'])
    expect(Object.keys(list.dags[0]).sort()).to.deep.equal(['dag', 'errors', 'fileName', 'latestDAGRun', 'suspended'])
    expectShape('summary', list.dags[0].dag, DAG_SUMMARY)
    expectShape('pagination', list.pagination, {
      totalRecords: integer,
      currentPage: integer,
      totalPages: integer,
      nextPage: (value: unknown) => value === null,
      prevPage: (value: unknown) => value === null
    })

    const one = await get('/dags/shapes')
    expect(Object.keys(one).sort()).to.deep.equal(['dag', 'errors', 'latestDAGRun', 'localDags', 'suspended'])
    expect([one.localDags, one.errors, one.suspended]).to.deep.equal([[], [], false])
    expect(one.latestDAGRun).to.deep.equal(run)
    expectShape('details', one.dag, DAG_DETAILS)
    expect(one.dag).to.deep.include({
      group: 'tests',
      description: 'every shape',
      tags: ['b', 'a', 'b c'],
      params: ['1', 'NAME'],
      defaultParams: '1="one" NAME="two words"',
      env: ['PLACE=here'],
      maxActiveRuns: 3,
      maxActiveSteps: 4,
      histRetentionDays: 30
    })
    expect(Object.keys(one.dag.handlerOn).sort()).to.deep.equal(['cancel', 'exit', 'failure', 'success'])
    for (const handler of Object.values<Json>(one.dag.handlerOn)) expect(handler).to.include({ command: 'echo' })
    expect(one.dag.steps.map(({ name }: Json) => name)).to.deep.equal(run.nodes.map(({ step }: Json) => step.name))
    expectShape('condition', one.dag.preconditions[0], CONDITION)
    expectShape('condition', one.dag.steps[2].preconditions[0], CONDITION)

    const spec = await get('/dags/shapes/spec')
    expect(Object.keys(spec).sort()).to.deep.equal(['dag', 'errors', 'revision', 'spec'])
    expect(spec.dag).to.deep.equal(one.dag)
  })

  it('defaultParams can be sent back as params', async () => {
    const { defaultParams } = (await get('/dags/shapes')).dag
    await api.started('shapes', { dagRunId: 'r2', params: defaultParams })
    expect((await api.ended('shapes', 'r2')).params).to.equal('1=one NAME=two words')
  })

  it('a DAG that never ran: latestDAGRun has empty strings, status 0, name = DAG name; nodes built from the steps', async () => {
    api.write('fresh', 'name: other\nsteps: [{name: s, command: echo}]')
    const { latestDAGRun } = await get('/dags/fresh')
    expectRun(latestDAGRun)
    expect(latestDAGRun).to.include({
      name: 'other',
      dagRunId: '',
      rootDAGRunId: '',
      status: 0,
      attempt: 0,
      workerId: ''
    })
    expect(latestDAGRun.nodes.map(({ step, statusLabel }: Json) => [step.name, statusLabel])).to.deep.equal([
      ['s', 'not_started']
    ])
  })

  it('GET /health: status, version, uptime, timestamp', async () => {
    const health = await get('/health')
    expectShape('health', health, { status: 'string', version: 'string', uptime: integer, timestamp: time })
    expect(health.timestamp).not.to.equal('')
  })
})
