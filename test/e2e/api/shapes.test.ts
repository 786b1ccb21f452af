/** Runs, their nodes, steps, conditions and logs over HTTP, of real runs: exactly these members, of these types. Source: api-semantics 1.2, 2. */
import { expect } from 'chai'
import {
  EVALUATED,
  expectRun,
  expectShape,
  INSTANTS,
  integer,
  list,
  SUMMARY,
  shapesScene
} from '../../support/api/api-shapes.ts'
import type { Json } from '../../support/api/live-api.ts'
import { eventually } from '../../support/waiting.ts'

describe('API › shapes of real runs', () => {
  const { api, folder, get, made } = shapesScene()
  const begun = Math.floor(Date.now() / 1_000) * 1_000
  let run: Json
  before(async () => {
    run = await made()
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

  it('V2, 14.2.5 a time that has not happened is "", also in handlers that were not called; never "-" and never null', () => {
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
    const { onExit: _exit, onSuccess: _success, onFailure: _failure, onCancel: _cancel, ...more } = rest
    const { nodeLogs: _logs, maxActiveSteps: _limit, ...summary } = more
    for (const path of ['/dag-runs', '/dag-runs/shapes', '/dag-runs?status=4&name=SHAPE&dagRunId=r1']) {
      const { dagRuns, ...others } = await get(path)
      expect(others, path).to.deep.equal({})
      expect(dagRuns.map((one: Json) => [expectShape('summary', one, SUMMARY, INSTANTS), one.dagRunId][1])).to.include(
        'r1'
      )
      expect(dagRuns.find(({ dagRunId }: Json) => dagRunId === 'r1')).to.deep.equal(summary)
    }
    expect(await get('/dag-runs?status=2&status=3')).to.deep.equal({ dagRuns: [] })
    const [listed] = (await get('/dags?name=shapes')).dags
    expect(listed.latestDAGRun).to.deep.equal(summary)
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
      expectShape(log, await get(`/dag-runs/shapes/r1/${log}`), chunk, { firstLine: integer, times: list })
    expect((await get('/dag-runs/shapes/r1/steps/a%2Fb%20%C3%BC%3F/log')).content).to.equal('x y z')
    expect((await get('/dag-runs/shapes/r1/steps/scripted/log?stream=stderr')).content).to.equal('b')
    expect((await get('/dag-runs/shapes/r1/log?tail=1')).content).to.match(/msg="run finished" status=succeeded$/)
  })
})
