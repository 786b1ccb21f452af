/**
 * Retries that wait in their queue, because their workflow asks for a worker. No such run can end in an engine without workers, so these
 * were executed without labels, which then got into their stored workflow. Source: execution-semantics 13.1.9, 12.13; api-semantics 4.7.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { seen, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { damage } from '../../support/store/lived-in-home.ts'

const NAME = 'labelled'
const SPEC = `
name: ${NAME}
steps:
  - {name: a, command: 'echo a >>marks; echo from-a'}
  - {name: b, command: 'echo b >>marks; exit 1'}
  - {name: c, command: 'echo c >>marks'}
`

/** Changes the labels of every stored workflow of a home in which no engine is at work. */
const label = (home: string, workerSelector: Record<string, string>): Promise<void> =>
  damage(home, async ({ plans }) => {
    for (const { key, value } of [...plans.getRange()])
      await plans.put(key, { ...value, plan: { ...value.plan, workerSelector } })
  })

describe('retry › 13.1.9 DAGs with workerSelector: the retry is enqueued', () => {
  let home: string
  let engine: Engine
  let key: RunKey
  const workingDir = () => join(home, 'here')
  const marks = () => textOf(join(workingDir(), 'marks')).split('\n').filter(Boolean)
  const record = (of = key) => engine.record(of)
  const open = async () => {
    engine = await createEngine({ home, defaultShell: 'sh' })
  }
  const reopened = async (workerSelector: Record<string, string>) => {
    await engine.close()
    await label(home, workerSelector)
    await open()
  }

  beforeEach(async () => {
    home = temporaryFolder()
    await open()
    key = await engine.start({ spec: `workingDir: ${workingDir()}${SPEC}` })
    const { statuses } = seen(await engine.result(key))
    expect(statuses).to.deep.equal(['succeeded', 'failed', 'canceled'])
    await reopened({ gpu: 'true' })
  })
  afterEach(() => engine.close())

  it('in place: the attempt waits, and goes on with what is kept when it may; 12.14 also after a restart', async () => {
    const { startedAt: _, ...before } = engine.record(key) ?? {}
    expect(await engine.retry(key)).to.deep.equal(key)
    expect(record()).to.include({ status: 'queued', attempt: 2 }).and.not.to.have.property('startedAt')
    expect(before).to.include({ status: 'failed', attempt: 1 })
    const [{ name, queued } = { name: '', queued: [] }] = await engine.readQueues()
    expect([name, queued.map(({ dagRunId }) => dagRunId)]).to.deep.equal([NAME, [key.dagRunId]])
    await engine.retry(key).then(
      () => expect.fail('a queued run was retried'),
      ({ code }) => expect(code).to.equal('already_running')
    )
    await reopened({})
    const { statuses } = seen(await engine.result(key))
    expect(statuses).to.deep.equal(['succeeded', 'failed', 'canceled'])
    expect(marks(), 'a is kept').to.deep.equal(['a', 'b', 'b'])
    expect(record()).to.include({ attempt: 2 })
  })

  it('P10 a kept step can no longer be read when the run may continue: the run fails with the reason, no step is executed again', async () => {
    await engine.retry(key)
    await engine.close()
    await damage(home, ({ root }) =>
      root
        .openDB<Buffer, (string | number)[]>({ name: 'nodes', encoding: 'binary' })
        .put([key.name, key.dagRunId, 0], Buffer.from([0]))
    )
    await label(home, {})
    await open()
    expect((await engine.result(key)).run).to.include({ status: 'failed', attempt: 2 })
    expect(record()?.error).to.match(
      /^state unreadable: .* is damaged, and what became of a cannot be read; .* set its status by hand/
    )
    expect(marks()).to.deep.equal(['a', 'b'])
  })

  /** What is said, by what it is about. */
  const why = (of: RunKey) =>
    engine.facts.explain(of).reasons.map(({ about, cause, waiting, text }) => [about.name, cause, waiting, text])
  const LACKING = 'the run needs a worker with gpu=true, and there is none'

  it('explain: the attempt waits, and why; steps that run again wait with it, and their last end is that of the previous attempt', async () => {
    await engine.retry(key)
    expect(why(key)).to.deep.equal([
      [NAME, 'no_worker', true, `attempt 2 of the run waits: ${LACKING}`],
      ['b', 'run_queued', true, 'b waits: attempt 2 of its run has not started'],
      ['b', 'exit_code', false, 'attempt 1: b ended with code 1'],
      ['c', 'run_queued', true, 'c waits: attempt 2 of its run has not started'],
      ['c', 'upstream_failed', false, 'attempt 1: c was not run because b failed']
    ])
    const [waits, ended] = engine.facts.explain(key, 'b').reasons
    expect([waits?.cause, ended?.cause, ended?.unblock]).to.deep.equal(['run_queued', 'exit_code', ''])
    await engine.dequeue(key)
    expect(why(key).map(([about, cause]) => `${about} ${cause}`)).to.deep.equal([
      `${NAME} steps_failed`,
      'b exit_code',
      'c upstream_failed'
    ])
  })

  it('explain of one with stepName, or another id: what is kept does not wait', async () => {
    await engine.setNodeStatus({ root: key, step: 'b' }, 'not_started')
    await engine.retry(key, { stepName: 'c' })
    expect(why(key).map(([about, cause, , text]) => [about, cause, text])).to.deep.include.members([
      ['b', 'only_one_step', 'attempt 2 of the run is a retry of c alone; b is not part of it'],
      ['c', 'run_queued', 'c waits: attempt 2 of its run has not started']
    ])
    await engine.dequeue(key)
    expect(why(await engine.retry(key, { dagRunId: 'other' }))).to.deep.equal([
      [NAME, 'no_worker', true, `the retry of run ${key.dagRunId} waits: ${LACKING}`],
      ['b', 'run_queued', true, 'b waits: its run has not started'],
      ['c', 'run_queued', true, 'c waits: its run has not started']
    ])
  })

  it('13.1.5 stepName: only that step runs, once it may', async () => {
    await engine.retry(key, { stepName: 'c' })
    await reopened({})
    const { statuses } = seen(await engine.result(key))
    expect(statuses).to.deep.equal(['succeeded', 'failed', 'succeeded'])
    expect(marks()).to.deep.equal(['a', 'b', 'c'])
    expect(record()).not.to.have.property('only')
  })

  it('another id: the new run waits, with copies of the logs that are kept', async () => {
    const other = await engine.retry(key, { dagRunId: 'other' })
    expect(record(other)).to.include({ status: 'queued', attempt: 1, queue: NAME })
    expect(record()).to.include({ status: 'failed', attempt: 1 })
    await reopened({})
    const run = seen(await engine.result(other))
    expect([run.statuses, run.out('a')]).to.deep.equal([['succeeded', 'failed', 'canceled'], 'from-a\n'])
    expect(marks()).to.deep.equal(['a', 'b', 'b'])
  })

  it('12.13 dequeue: a queued retry of an older run goes back to its earlier state, and can be retried again', async () => {
    const before = await engine.run(key)
    await engine.retry(key)
    await engine.dequeue(key)
    expect(await engine.run(key)).to.deep.equal(before)
    expect(engine.runs({ name: NAME, status: ['failed'] })).to.have.length(1)
    expect(engine.runs({ name: NAME, status: ['queued'] })).to.have.length(0)
    await engine.retry(key)
    expect(record()).to.include({ status: 'queued', attempt: 2 })
    await engine.dequeue(key)
  })

  it('12.13 dequeue of one with another id: nothing of it is left, its logs included, and its id can be used again', async () => {
    const other = await engine.retry(key, { dagRunId: 'other' })
    const { nodeLogs = '' } = record(other) ?? {}
    expect(readFileSync(join(nodeLogs, 'a.out'), 'utf8')).to.equal('from-a\n')
    await engine.dequeue(other)
    expect([record(other), existsSync(dirname(nodeLogs))]).to.deep.equal([undefined, false])
    expect(await engine.retry(key, { dagRunId: 'other' })).to.deep.equal(other)
  })

  it('4.3 queues.enabled: false: 503 as it could not wait for its worker, for a reschedule, too; nothing changes', async () => {
    writeFileSync(join(home, 'config.yaml'), 'queues: {enabled: false}\n')
    await reopened({ gpu: 'true' })
    const before = record()
    for (const asked of [engine.retry(key), engine.reschedule(key)])
      await asked.then(
        () => expect.fail('it was accepted'),
        ({ code, message }) =>
          expect([code, message]).to.deep.equal([
            'service_unavailable',
            'workerSelector: such a run waits for its worker in a queue, and queues are disabled in configuration'
          ])
      )
    expect(record()).to.deep.equal(before)
  })
})
