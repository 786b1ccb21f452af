/** Queues end to end. Source: execution-semantics 12; api-semantics 4.2, 4.3, 6. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { killedAfter } from '../../support/engine/killed-engine.ts'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    (error: { code: string }) => error.code
  )

/** A run that leaves its mark and ends when the file `go` is there. */
const waiting = (home: string, more = '') =>
  `name: held\n${more}\nparams: N=0\nsteps: ['echo $N >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.02; done']`
const marks = (home: string) => {
  try {
    return readFileSync(join(home, 'marks'), 'utf8').trim().split('\n')
  } catch {
    return []
  }
}
const begun = (home: string, count: number) =>
  eventually(`${count} marks`, () => (marks(home).length >= count ? true : undefined))

describe('queues', () => {
  const live = liveEngine({ settings: { 'queues.config': [{ name: 'batch', maxConcurrency: 2 }] } })

  const enqueueAll = async (spec: string, count: number, more = {}): Promise<RunKey[]> => {
    const keys: RunKey[] = []
    for (let index = 1; index <= count; index++)
      keys.push(await live.engine.enqueue({ spec, params: `N=${index}`, ...more }))
    return keys
  }

  it('12.10, 12.16 a definition file that was changed and deleted does not matter: the snapshot runs, with params of the enqueue and DAG env of the dispatch', async () => {
    const home = temporaryFolder()
    const { dagsDir } = live.engine.config
    const [file, word] = [join(dagsDir, 'stale.yaml'), join(home, 'word')]
    mkdirSync(dagsDir, { recursive: true })
    writeFileSync(word, 'then')
    const shared = `params: 'P="\`cat ${word}\`"'\nenv: ['E=\`cat ${word}\`']\n`
    const first = await live.engine.start({ spec: waiting(home, 'queue: stale') })
    writeFileSync(file, `${shared}steps: ['echo old $P $E >>${home}/marks']\n`)
    const key = await live.engine.enqueue({ fileName: 'stale' })
    writeFileSync(file, `${shared}steps: ['echo new >>${home}/marks']\n`)
    rmSync(file)
    writeFileSync(word, 'now')
    expect(live.engine.record(key)).to.deep.include({ status: 'queued', params: [{ name: 'P', value: 'then' }] })
    writeFileSync(join(home, 'go'), '')
    await live.ended(first)
    await eventually('the end', () => (live.engine.record(key)?.finishedAt ? true : undefined))
    expect(marks(home)).to.deep.equal(['0', 'old then now'])
  })

  it('14.12 queue with maxConcurrency 2 and DAG with maxActiveRuns -1, 5 queued: never more than 2 running', async () => {
    const home = temporaryFolder()
    const keys = await enqueueAll(waiting(home, 'maxActiveRuns: -1'), 5, { queue: 'batch' })
    await begun(home, 2)
    const [view] = live.engine.queues()
    expect(view).to.include({ name: 'batch', maxConcurrency: 2 })
    expect(view?.running.map(({ dagRunId }) => dagRunId)).to.have.members(
      keys.slice(0, 2).map(({ dagRunId }) => dagRunId)
    )
    expect(view?.queued.map(({ dagRunId }) => dagRunId)).to.deep.equal(keys.slice(2).map(({ dagRunId }) => dagRunId))
    writeFileSync(join(home, 'go'), '')
    for (const key of keys)
      await eventually('the end', () => (live.engine.record(key)?.status === 'succeeded' ? true : undefined))
    expect(live.engine.queues()).to.deep.equal([
      { name: 'batch', maxConcurrency: 2, capacity: 2, running: [], queued: [] }
    ])
  })

  it('7.2.4 start with the own limit free but the named queue full: the run is enqueued instead', async () => {
    const home = temporaryFolder()
    const spec = waiting(home, 'queue: batch\nmaxActiveRuns: 5')
    const keys = [
      await live.engine.start({ spec }),
      await live.engine.start({ spec }),
      await live.engine.start({ spec })
    ]
    expect(keys.map((key) => live.engine.record(key)?.status)).to.deep.equal(['running', 'running', 'queued'])
    const forced = await live.engine.start({
      spec: waiting(home, 'queue: batch\nmaxActiveRuns: 1').replace('held', 'single')
    })
    expect(live.engine.record(forced)?.status).to.equal('running')
    writeFileSync(join(home, 'go'), '')
    for (const key of [...keys, forced])
      await eventually('the end', () => (live.engine.record(key)?.status === 'succeeded' ? true : undefined))
  })

  it('P2 one id enqueued twice at once: one of the two is a run, the other is refused with already_exists', async () => {
    const home = temporaryFolder()
    writeFileSync(join(home, 'go'), '')
    const twice = Array.from({ length: 2 }, () => live.engine.enqueue({ spec: waiting(home), dagRunId: 'twice' }))
    const codes = await Promise.all(twice.map(codeOf))
    expect(codes.sort()).to.deep.equal(['already_exists', 'resolved'])
    await eventually('its end', () => live.engine.record({ name: 'held', dagRunId: 'twice' })?.finishedAt)
    expect(marks(home)).to.deep.equal(['0'])
  })
})

describe('queues › across restarts', () => {
  const rest = (engine: Engine) =>
    eventually('all at rest', () => (engine.runs({ status: ['running', 'queued'] }).length === 0 ? true : undefined))

  it('12.14 queued items survive a restart of the server, in order; nothing is dispatched twice; the first starts within 2 s (P11)', async function () {
    this.retries(WHEN_BUSY)
    const home = temporaryFolder()
    const first = await createEngine({ home })
    await first.start({ spec: waiting(home) })
    await begun(home, 1)
    for (let index = 1; index <= 5; index++) await first.enqueue({ spec: waiting(home), params: `N=${index}` })
    await first.close()
    const engine = await createEngine({ home })
    try {
      expect(engine.queues()[0]?.queued).to.have.length(5)
      await engine.enqueue({ spec: waiting(home), params: 'N=6' })
      const before = Date.now()
      writeFileSync(join(home, 'go'), '')
      await begun(home, 2)
      expect(Date.now() - before).to.be.below(2_000)
      await rest(engine)
      expect(marks(home)).to.deep.equal(['0', '1', '2', '3', '4', '5', '6'])
    } finally {
      await engine.close()
    }
  })

  it('a kill -9 loses no acknowledged item and runs none twice', async () => {
    const home = temporaryFolder()
    await killedAfter(home, waiting(home), 1)
    const second = await createEngine({ home })
    for (let index = 1; index <= 3; index++) await second.enqueue({ spec: waiting(home), params: `N=${index}` })
    await second.close()
    writeFileSync(join(home, 'go'), '')
    const engine = await createEngine({ home })
    try {
      await rest(engine)
      expect(marks(home)).to.deep.equal(['0', '1', '2', '3'])
    } finally {
      await engine.close()
    }
  })

  it('queues.enabled: false refuses every enqueue: bad_request', async () => {
    const engine = await createEngine({ temporary: true, settings: { 'queues.enabled': false } })
    try {
      expect(await codeOf(engine.enqueue({ spec: 'name: a\nsteps: ["true"]' }))).to.equal('bad_request')
    } finally {
      await engine.close()
    }
  })
})

describe('workerSelector', () => {
  const live = liveEngine()

  it('4.3, 7.2.6 workerSelector: the run is created queued, and start answers with its id; without a worker it waits, and can be taken out', async () => {
    const key = await live.engine.start({ spec: 'name: labelled\nworkerSelector: {gpu: "true"}\nsteps: ["true"]' })
    expect(live.engine.record(key)).to.include({ status: 'queued' })
    const other = await live.run('steps: ["true"]')
    expect(other.status).to.equal('succeeded')
    expect(live.engine.record(key)).to.include({ status: 'queued' })
    await live.engine.dequeue(key)
    expect(live.engine.run(key)).to.equal(undefined)
  })

  it('9.2.4 on the target of a call sends it to a worker: without one the step fails and says so', async () => {
    const run = await live.run(`
steps: [{name: a, call: kid}]
---
name: kid
workerSelector: {gpu: "true"}
steps: ["true"]
`)
    expect(run.node('a').error).to.contain('no worker has the labels that kid asks for')
  })
})
