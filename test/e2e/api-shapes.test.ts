/** Every object of the API on real runs: exactly these members, of these types. Source: api-semantics 1.2, 2. */
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { type Json, liveApi } from '../support/live-api.ts'
import { eventually } from '../support/waiting.ts'

/** A member's rule: its `typeof`, or what it must satisfy. */
type Rule = string | ((value: unknown) => boolean)
type Shape = Record<string, Rule>

/** Each member is there with the right type, and no other. */
function expectShape(what: string, object: Json, shape: Shape): void {
  expect(Object.keys(object).sort(), what).to.deep.equal(Object.keys(shape).sort())
  for (const [key, rule] of Object.entries(shape)) {
    const value = object[key]
    const holds = typeof rule === 'string' ? typeof value === rule : rule(value)
    expect(holds, `${what}.${key} = ${JSON.stringify(value)}`).to.equal(true)
  }
}

/** Rule V1 in the zone of these tests, or rule V2. */
const time: Rule = (value) => value === '' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/.test(String(value))
const integer: Rule = (value) => Number.isInteger(value)
const list: Rule = (value) => Array.isArray(value)
const texts: Rule = (value) => Array.isArray(value) && value.every((item) => typeof item === 'string')

const SUMMARY: Shape = {
  ...{ rootDAGRunName: 'string', rootDAGRunId: 'string', parentDAGRunName: 'string', parentDAGRunId: 'string' },
  ...{ dagRunId: 'string', name: 'string', status: integer, statusLabel: 'string' },
  ...{ queuedAt: time, startedAt: time, finishedAt: time, log: 'string', params: 'string' },
  ...{ workerId: 'string', attempt: integer }
}
const nodeOrNull: Rule = (value) => typeof value === 'object'
const DETAILS: Shape = {
  ...SUMMARY,
  ...{ error: 'string', nodes: list, preconditions: list },
  ...{ onExit: nodeOrNull, onSuccess: nodeOrNull, onFailure: nodeOrNull, onCancel: nodeOrNull }
}
const NODE: Shape = {
  ...{ step: 'object', stdout: 'string', stderr: 'string', startedAt: time, finishedAt: time },
  ...{ status: integer, statusLabel: 'string', retryCount: integer, doneCount: integer },
  ...{ subRuns: list, subRunsRepeated: list, error: 'string' }
}
const CONDITION: Shape = { condition: 'string', expected: 'string', error: 'string' }
const EVALUATED: Shape = { ...CONDITION, matched: 'boolean' }
const DAG_SUMMARY: Shape = {
  ...{ name: 'string', group: 'string', description: 'string', schedule: list, params: texts, defaultParams: 'string' },
  ...{ tags: texts, queue: 'string', maxActiveRuns: integer, nextRun: 'string' }
}
const DAG_DETAILS: Shape = {
  ...DAG_SUMMARY,
  ...{ env: texts, logDir: 'string', handlerOn: 'object', steps: list, delay: integer, histRetentionDays: integer },
  ...{ preconditions: list, maxActiveSteps: integer, runConfig: 'object' }
}
const LABELS = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'queued', 'partially_succeeded']
const NODE_LABELS = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'skipped', 'partially_succeeded']

function expectNode(what: string, node: Json): void {
  expectShape(what, node, NODE)
  expect(node.statusLabel, what).to.equal(NODE_LABELS[node.status])
}

/** Details of a run and all that is in them. */
function expectRun(run: Json): void {
  expectShape('run', run, DETAILS)
  expect(run.statusLabel).to.equal(LABELS[run.status])
  for (const node of run.nodes) expectNode(`node ${node.step.name}`, node)
  for (const kind of ['onExit', 'onSuccess', 'onFailure', 'onCancel']) {
    if (run[kind] === null) continue
    expectNode(kind, run[kind])
    expect(run[kind].step.name).to.equal(kind)
  }
}

describe('API › shapes of real runs', () => {
  const api = liveApi({ tz: 'Asia/Kolkata' })
  const folder = temporaryFolder()
  const get = async (path: string): Promise<Json> => {
    const { status, json, text } = await api.call('GET', path)
    expect(status, text).to.equal(200)
    return json
  }
  const begun = Math.floor(Date.now() / 1_000) * 1_000
  let run: Json

  before(async () => {
    api.write(
      'shapes',
      `
type: graph
group: tests
description: every shape
tags: B, a, b c
workingDir: ${folder}
env:
  - PLACE: here
params: one NAME="two words"
maxActiveRuns: 3
maxActiveSteps: 4
preconditions:
  - condition: "\`echo yes\`"
    expected: "re:^y"
handlerOn: {success: echo good, failure: echo bad, cancel: echo off, exit: echo bye}
steps:
  - {name: first, id: one, description: the first, command: echo hello "big world", output: GREETING}
  - {name: retried, command: "test -e again || { touch again; exit 7; }", retryPolicy: {limit: 2, intervalSec: 0}}
  - name: skipped
    command: echo no
    preconditions: [{condition: "\${GREETING}", expected: other, error: not today}]
    depends: first
  - {name: a/b ü?, command: [echo, x y, z], depends: one}
  - {name: scripted, script: "echo a\\necho b >&2", dir: ${folder}, stdout: out.txt, depends: [retried, a/b ü?]}
  - {name: fails, command: exit 3, continueOn: {exitCode: 3, markSuccess: true}}
`
    )
    await api.started('shapes', { dagRunId: 'r1', params: 'NAME=three X=5' })
    run = await api.ended('shapes', 'r1')
  })

  it('RunDetails: all members present, of their types; status and statusLabel always together', () => {
    expectRun(run)
    const [root, parent] = [
      { rootDAGRunName: 'shapes', rootDAGRunId: 'r1' },
      { parentDAGRunName: '', parentDAGRunId: '' }
    ]
    expect(run).to.include({ ...root, ...parent, dagRunId: 'r1', name: 'shapes' })
    expect(run).to.include({ statusLabel: 'succeeded', queuedAt: '', workerId: 'local', attempt: 1, error: '' })
    expect(run.params).to.equal('1=one NAME=three X=5')
    expect(run.log).to.equal(`${api.engine.config.logDir}/shapes/r1/run.log`)
  })

  it('V1 times are RFC 3339, whole seconds, offset of the configured timezone', () => {
    const now = Date.now()
    for (const { startedAt, finishedAt } of [run, run.onExit, ...run.nodes.slice(0, 5)]) {
      for (const text of [startedAt, finishedAt]) expect(Date.parse(text)).to.be.within(begun, now)
      expect(Date.parse(finishedAt)).to.be.at.least(Date.parse(startedAt))
    }
  })

  it('Node: what each step did', () => {
    const seen = run.nodes.map((node: Json) => [
      node.step.name,
      node.statusLabel,
      node.retryCount,
      node.doneCount,
      node.error
    ])
    expect(seen.slice(0, 5)).to.deep.equal([
      ['first', 'succeeded', 0, 1, ''],
      ['retried', 'succeeded', 1, 1, ''],
      ['skipped', 'skipped', 0, 0, 'not today'],
      ['a/b ü?', 'succeeded', 0, 1, ''],
      ['scripted', 'succeeded', 0, 1, '']
    ])
    expect(seen[5].slice(0, 2)).to.deep.equal(['fails', 'succeeded'])
    expect([run.onSuccess.statusLabel, run.onExit.statusLabel]).to.deep.equal(['succeeded', 'succeeded'])
  })

  it('V2 a time that has not happened is "", also in handlers that were not called; never "-" and never null', () => {
    for (const kind of ['onFailure', 'onCancel']) {
      const untouched = { startedAt: '', finishedAt: '', stdout: '', stderr: '', statusLabel: 'not_started', error: '' }
      expect(run[kind]).to.include(untouched)
    }
  })

  it('Step: members other than name are dropped when empty (V5)', () => {
    const steps = Object.fromEntries(run.nodes.map(({ step }: Json) => [step.name, step]))
    expect(steps.first).to.deep.equal({
      name: 'first',
      id: 'one',
      description: 'the first',
      command: 'echo',
      args: ['hello', 'big world'],
      cmdWithArgs: 'echo hello "big world"',
      output: 'GREETING'
    })
    expect(steps.retried.retryPolicy).to.include({ limit: 2, intervalSec: 0 })
    expect(steps['a/b ü?']).to.deep.include({ command: 'echo', args: ['x y', 'z'], depends: ['first'] })
    expect(steps.scripted).to.deep.include({ script: 'echo a\necho b >&2', dir: folder, stdout: 'out.txt' })
    expect(steps.fails.continueOn).to.deep.include({ exitCode: [3], markSuccess: true })
    expect(steps.scripted).not.to.have.any.keys('command', 'args', 'cmdWithArgs')
  })

  it('Condition: {condition, expected, error}, and matched once evaluated', () => {
    const [ofRun] = run.preconditions
    expectShape('precondition', ofRun, EVALUATED)
    expect(ofRun).to.deep.equal({ condition: '`echo yes`', expected: 're:^y', error: '', matched: true })
    const [ofStep] = run.nodes[2].step.preconditions
    expectShape('precondition', ofStep, EVALUATED)
    expect(ofStep).to.include({ error: 'not today', matched: false })
  })

  it('A3 the same run details under dagRun and dagRunDetails, on both detail endpoints; latest', async () => {
    for (const path of [
      '/dag-runs/shapes/r1',
      '/dag-runs/shapes/latest',
      '/dags/shapes/dag-runs/r1',
      '/dags/shapes/dag-runs/latest'
    ]) {
      const answer = await get(path)
      expect(Object.keys(answer), path).to.deep.equal(['dagRun', 'dagRunDetails'])
      expect(answer.dagRun, path).to.deep.equal(run)
      expect(answer.dagRunDetails, path).to.deep.equal(run)
    }
    expect((await api.call('GET', '/dag-runs/nobody/latest')).status).to.equal(404)
    expect((await api.call('GET', '/dags/shapes/dag-runs/r9')).status).to.equal(404)
  })

  it('RunSummary in lists: all members present, the same values as in the details', async () => {
    const { nodes: _nodes, preconditions: _conditions, error: _error, ...rest } = run
    const { onExit: _exit, onSuccess: _success, onFailure: _failure, onCancel: _cancel, ...summary } = rest
    for (const path of ['/dag-runs', '/dag-runs/shapes', '/dag-runs?status=4&name=SHAPE&dagRunId=r1']) {
      const { dagRuns, ...others } = await get(path)
      expect(others, path).to.deep.equal({})
      expect(dagRuns.map((one: Json) => [expectShape('summary', one, SUMMARY), one.dagRunId][1])).to.include('r1')
      expect(dagRuns.find(({ dagRunId }: Json) => dagRunId === 'r1')).to.deep.equal(summary)
    }
    expect(await get('/dag-runs?status=2&status=3')).to.deep.equal({ dagRuns: [] })
    const [listed] = (await get('/dags?name=shapes')).dags
    expect(listed.latestDAGRun).to.deep.equal(summary)
  })

  it('DAGSummary and DAGDetails: all members present, of their types', async () => {
    const list = await get('/dags?name=shapes')
    expect(Object.keys(list)).to.deep.equal(['dags', 'errors', 'pagination'])
    expect(Object.keys(list.dags[0]).sort()).to.deep.equal(['dag', 'errors', 'fileName', 'latestDAGRun', 'suspended'])
    expectShape('summary', list.dags[0].dag, DAG_SUMMARY)
    expectShape('pagination', list.pagination, {
      ...{ totalRecords: integer, currentPage: integer, totalPages: integer },
      ...{ nextPage: (value: unknown) => value === null, prevPage: (value: unknown) => value === null }
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
    expect(Object.keys(spec).sort()).to.deep.equal(['dag', 'errors', 'spec'])
    expect(spec.dag).to.deep.equal(one.dag)
  })

  it('defaultParams can be sent back as params', async () => {
    const { defaultParams } = (await get('/dags/shapes')).dag
    await api.started('shapes', { dagRunId: 'r2', params: defaultParams })
    expect((await api.ended('shapes', 'r2')).params).to.equal('1=one NAME=two words')
  })

  it('a run at work: status running, what has not happened is the empty string', async () => {
    await api.startedInline({
      spec: 'name: now\nhandlerOn: {exit: echo x}\nsteps: [sleep 30, echo never]',
      dagRunId: 'w'
    })
    const atWork = await eventually('the step', async () => {
      const { dagRun } = await get('/dag-runs/now/w')
      return dagRun.nodes[0].status === 1 ? dagRun : undefined
    })
    expectRun(atWork)
    expect(atWork).to.include({ status: 1, statusLabel: 'running', finishedAt: '', workerId: 'local' })
    expect(atWork.startedAt).not.to.equal('')
    expect(atWork.nodes[0]).to.include({ status: 1, statusLabel: 'running', finishedAt: '', doneCount: 0 })
    const untouched = { status: 0, startedAt: '', finishedAt: '', stdout: '', stderr: '', retryCount: 0, error: '' }
    expect(atWork.nodes[1]).to.include(untouched)
    expect(atWork.onExit).to.include(untouched)
    await api.call('POST', '/dag-runs/now/w/stop')
    expectRun(await api.ended('now', 'w'))
  })

  it('a run that failed: error of the run and of its nodes, canceled dependents without a start time', async () => {
    await api.startedInline({ spec: 'name: bad\nsteps: [exit 3, echo never]', dagRunId: 'b' })
    const failed = await api.ended('bad', 'b')
    expectRun(failed)
    expect(failed).to.include({ status: 2, statusLabel: 'failed' })
    expect(failed.nodes[0]).to.include({ status: 2, statusLabel: 'failed', doneCount: 1 })
    expect(failed.nodes[0].error).to.contain('exit status 3')
    expect(failed.nodes[1]).to.include({ status: 3, statusLabel: 'canceled', startedAt: '', finishedAt: '' })
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

  it('LogChunk: all members present, of their types', async () => {
    const chunk = {
      content: 'string',
      lineCount: integer,
      totalLines: integer,
      hasMore: 'boolean',
      isEstimate: 'boolean'
    }
    for (const log of [
      'log',
      'steps/first/log',
      'steps/a%2Fb%20%C3%BC%3F/log',
      'steps/onExit/log',
      'steps/onFailure/log'
    ])
      expectShape(log, await get(`/dag-runs/shapes/r1/${log}`), chunk)
    expect((await get('/dag-runs/shapes/r1/steps/a%2Fb%20%C3%BC%3F/log')).content).to.equal('x y z')
    expect((await get('/dag-runs/shapes/r1/steps/scripted/log?stream=stderr')).content).to.equal('b')
    expect((await get('/dag-runs/shapes/r1/log?tail=1')).content).to.match(/msg="run finished" status=succeeded$/)
  })

  it('GET /health: status, version, uptime, timestamp', async () => {
    const health = await get('/health')
    expectShape('health', health, { status: 'string', version: 'string', uptime: integer, timestamp: time })
    expect(health.timestamp).not.to.equal('')
  })
})
