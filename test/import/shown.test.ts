/** Imported runs are shown by the API and the commands like any other. Source: docs/operating/coming-from-dagu.md. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { runRecord } from '../../src/store/history.ts'
import { program, type RunningServer, runningServer } from '../support/cli/program.ts'
import { temporaryFolder } from '../support/homes.ts'
import { eventually } from '../support/waiting.ts'
import { daguHome, importInto, said, storeIn } from './scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of all shapes are looked into
type Answer = Record<string, any>

describe('import › what is shown of imported runs', () => {
  let server: RunningServer
  const home = () => server.folder
  const get = async (path: string): Promise<Answer> => {
    const answer = await fetch(`${server.address}/api/v2${path}`)
    expect(answer.status, path).to.equal(200)
    return (await answer.json()) as Answer
  }
  before(async () => {
    const folder = temporaryFolder()
    await importInto(folder, daguHome())
    server = await runningServer({}, { folder })
  })
  after(() => server?.end())

  it('the history of a definition, the list of runs and its filter by trigger', async () => {
    const { dagRuns } = await get('/dags/ok/dag-runs')
    expect(dagRuns.map(({ dagRunId, statusLabel }: Answer) => [dagRunId, statusLabel])).to.have.deep.members([
      ['ok-1', 'succeeded'],
      ['ok-2', 'succeeded']
    ])
    const listed = await get('/dag-runs?trigger=import')
    expect(listed.dagRuns).to.have.length(7)
    expect(listed.dagRuns.every(({ trigger }: Answer) => trigger.type === 'import')).to.equal(true)
    expect((await get('/dag-runs?trigger=cli')).dagRuns).to.deep.equal([])
  })

  it('details with nodes and handlers, an earlier attempt, sub DAG runs, events', async () => {
    const { dagRunDetails: broken } = await get('/dag-runs/broken/broken-1')
    expect(broken.nodes.map(({ step, statusLabel }: Answer) => [step.name, statusLabel])).to.deep.equal([
      ['good', 'succeeded'],
      ['bad', 'failed'],
      ['never', 'canceled']
    ])
    expect(broken.onFailure.statusLabel).to.equal('succeeded')
    expect(broken.params).to.contain('CODE=4')
    const { subRuns } = await get('/dag-runs/parent/parent-1/sub-dag-runs')
    expect(subRuns).to.have.length(3)
    const [sub] = subRuns
    const { dagRunDetails } = await get(`/dag-runs/parent/parent-1/sub-dag-runs/${sub.dagRunId}`)
    expect(dagRunDetails).to.deep.include({ name: 'child', rootDAGRunId: 'parent-1', statusLabel: 'succeeded' })
    const { log } = await get('/dag-runs/flaky/flaky-1/steps/sometimes/log?attempt=1').then((answer) => ({
      log: answer
    }))
    expect(log.content).to.equal('')
  })

  it('logs of steps and of the run', async () => {
    expect((await get('/dag-runs/ok/ok-1/steps/greet/log')).content).to.equal('hello you')
    expect((await get('/dag-runs/broken/broken-1/steps/bad/log?stream=stderr')).content).to.equal('oh no')
    expect((await get('/dag-runs/ok/ok-1/log')).content).to.contain('DAG run finished')
  })

  it('status, logs, explain and at of the command line', async () => {
    const said = async (...argv: string[]) => {
      const { code, written } = program(home(), { ENGINE_HOME: home() }, ...argv)
      expect(await code, written.err).to.equal(0)
      return written.out
    }
    expect(await said('status', 'broken')).to.contain('exit status 4')
    expect(await said('logs', 'ok', '--run-id', 'ok-1')).to.equal(
      'greet | hello you\nsecond | again hello you\nonExit | the end\n'
    )
    expect(await said('explain', 'broken')).to.contain('bad ended with code 4')
    expect(await said('explain', 'long', '--run-id', 'long-2')).to.contain('did not end before it came into this home')
    expect(await said('at', 'flaky', '--event', '4')).to.contain('event 4 of 10')
  })

  it('a retry runs the text that was recorded; its logs lie beside the copied ones', async () => {
    const retried = program(home(), { ENGINE_HOME: home() }, 'retry', 'broken', '--run-id', 'broken-1')
    expect(await retried.code).to.equal(1)
    expect(retried.written.out).to.contain('oh no')
    const { dagRunDetails } = await get('/dag-runs/broken/broken-1')
    expect(dagRunDetails).to.deep.include({ attempt: 2, statusLabel: 'failed' })
    expect(readdirSync(join(home(), 'logs', 'broken', 'broken-1'))).to.include.members(['1', '2', 'run.log'])
  })

  it('suspended definitions are suspended; the others have their schedule', async () => {
    const { dags } = await get('/dags')
    const suspended = dags.flatMap((one: Answer) => (one.suspended ? [one.fileName] : []))
    expect(suspended).to.deep.equal(['broken', 'sched'])
  })
})

describe('import › retention', () => {
  it('applies to imported runs: they go with their logs and the runs below them', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    writeFileSync(join(from, 'base.yaml'), 'histRetentionDays: 0\n')
    const done = await importInto(to, from)
    expect(said(done, 'history', 'note')).to.include('parent: 1 run older than its histRetentionDays')
    const engine = await createEngine({ home: to, defaultShell: 'sh' })
    try {
      await engine.result(await engine.start({ fileName: 'parent', dagRunId: 'r1' }))
      const gone = () => !existsSync(join(to, 'logs', 'parent', 'parent-1')) || undefined
      await eventually('the logs of the imported run are removed', gone)
    } finally {
      await engine.close()
    }
    await storeIn(to, (store) => {
      expect(runRecord(store, { name: 'parent', dagRunId: 'parent-1' })).to.equal(undefined)
      expect([...store.subs.getKeys()].filter(([, root]) => root === 'parent-1')).to.deep.equal([])
    })
  })
})
