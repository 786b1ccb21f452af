/** Explanations that need the real thing: processes, queues, definitions, mail, manual changes. Source: docs/inspect.md. */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { causesIn } from '../../support/inspect/explanations.ts'
import { eventually } from '../../support/waiting.ts'

/** Ends when the file `go` is there. */
const waiting = (home: string, more = '') =>
  `name: held\n${more}\nsteps: [{name: a, command: 'while [ ! -e ${home}/go ]; do sleep 0.02; done'}]`
const go = (home: string) => writeFileSync(join(home, 'go'), '')
const whyOf = (engine: Engine, key: RunKey) => causesIn(engine.facts.explain(key))

describe('explain › real engines', () => {
  const live = liveEngine({ settings: { 'queues.config': [{ name: 'batch', maxConcurrency: 1 }] } })
  const because = (key: RunKey, wanted: Record<string, string>) =>
    eventually(JSON.stringify(wanted), () => {
      const causes = whyOf(live.engine, key)
      return Object.entries(wanted).every(([name, cause]) => causes[name] === cause) ? causes : undefined
    })
  const over = (key: RunKey) =>
    eventually('its end', () => (live.engine.record(key)?.finishedAt === undefined ? undefined : true))

  it('a step is executing: since when its process has begun; a limit of its DAG holds the next runs back, in order', async () => {
    const home = temporaryFolder()
    const first = await live.engine.start({ spec: waiting(home) })
    await because(first, { held: 'steps_at_work', a: 'executing' })
    const second = await live.engine.enqueue({ spec: waiting(home) })
    const third = await live.engine.enqueue({ spec: waiting(home) })
    await because(second, { held: 'max_active_runs', a: 'run_queued' })
    await because(third, { held: 'max_active_runs queue_order' })
    expect(live.engine.facts.run(third).status).to.equal('queued')
    expect(live.engine.facts.run(first, { at: 1 }).status, 'it was let in at once').to.equal('not_started')
    const [reason] = live.engine.facts.explain(third).reasons
    expect(reason?.blockedBy.at(-1)).to.deep.equal({ kind: 'run', name: 'held', dagRunId: first.dagRunId })
    go(home)
    await over(third)
  })

  it('a configured queue is full', async () => {
    const home = temporaryFolder()
    const first = await live.engine.start({ spec: waiting(home, 'queue: batch\nmaxActiveRuns: -1') })
    const second = await live.engine.enqueue({ spec: waiting(home, 'queue: batch\nmaxActiveRuns: -1') })
    await because(second, { held: 'queue_full' })
    go(home)
    await Promise.all([over(first), over(second)])
  })

  it('a queue that is not configured is held by runs of another DAG: its reason names the queue, and none of its own runs', async () => {
    const home = temporaryFolder()
    const first = await live.engine.start({ spec: waiting(home, 'queue: shared\nmaxActiveRuns: 2') })
    const second = await live.engine.enqueue({ spec: 'name: other\nqueue: shared\nsteps: [echo a]' })
    await because(second, { other: 'max_active_runs', cmd_1: 'run_queued' })
    expect(live.engine.facts.explain(second).reasons[0]).to.include({
      text: '1 run in the queue shared is running (maxActiveRuns 1)'
    })
    go(home)
    await Promise.all([over(first), over(second)])
  })

  it('nobody has the labels that the run asks for', async () => {
    const key = await live.engine.enqueue({ spec: 'name: labels\nworkerSelector: {gpu: "true"}\nsteps: [echo a]' })
    expect(whyOf(live.engine, key)).to.include({ labels: 'no_worker' })
    await live.engine.dequeue(key)
  })

  it('a command was ended by a signal; an output could not be taken', async () => {
    const run = await live.run('steps: [{name: a, command: "kill -9 $$"}]')
    expect(whyOf(live.engine, run.run)).to.include({ a: 'killed_by_signal' })
    const large = await live.run(
      'maxOutputSize: 10\nsteps: [{name: a, command: "echo 01234567890123456789", output: X}]'
    )
    expect(large.status).to.equal('failed')
    expect(whyOf(live.engine, large.run)).to.include({ a: 'output_not_captured' })
  })

  it('a status was set by hand; a retry of one step left the others alone', async () => {
    const { run } = await live.run(
      'type: graph\nsteps: [{name: a, command: exit 1}, {name: b, command: echo b, depends: a}, {name: c, command: echo c}]'
    )
    await live.engine.setNodeStatus({ root: run, step: 'a' }, 'succeeded')
    expect(whyOf(live.engine, run)).to.include({ a: 'set_by_hand', b: 'upstream_failed' })
    await live.engine.retry(run, { stepName: 'c' })
    await live.engine.result(run)
    const again = whyOf(live.engine, run)
    expect(again).to.not.have.property('c')
    const { run: fresh } = await live.run(
      'type: graph\nsteps: [{name: a, command: exit 1}, {name: b, command: echo b, depends: a}]'
    )
    await live.engine.setNodeStatus({ root: fresh, step: 'b' }, 'not_started')
    await live.engine.retry(fresh, { stepName: 'a' })
    await live.engine.result(fresh)
    expect(whyOf(live.engine, fresh)).to.include({ b: 'only_one_step' })
  })

  it('mail is on its way to a server that does not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const key = await live.start(
      `smtp: {host: 127.0.0.1, port: "${port}"}\nerrorMail: {from: a@x.test, to: b@x.test}\nmailOn: {failure: true}\nsteps: [{name: a, command: exit 1}]`,
      { name: 'mails' }
    )
    await because(key, { mails: 'mail_on_its_way' })
    await live.engine.stop(key, { force: true })
    await over(key)
    silent.close()
  })

  it('an engine for one command lets no queued run go; without an engine nothing goes', async () => {
    const home = temporaryFolder()
    const options = { home, defaultShell: 'sh' }
    const engine = await createEngine({ ...options, holdQueues: true })
    const key = await engine.enqueue({ spec: 'name: held\nsteps: [echo a]' })
    expect(whyOf(engine, key)).to.include({ held: 'queue_held' })
    await engine.close()
    const reader = await createEngine({ ...options, readOnly: true })
    expect(whyOf(reader, key)).to.include({ held: 'engine_absent' })
    await reader.close()
  })
})

describe('explain › definitions', () => {
  const live = liveEngine({ schedules: true })
  const write = (engine: Engine, name: string, text: string) => {
    mkdirSync(engine.config.dagsDir, { recursive: true })
    writeFileSync(join(engine.config.dagsDir, `${name}.yaml`), text)
  }
  const why = (name: string, text: string) => {
    write(live.engine, name, text)
    return causesIn(live.engine.facts.explainDefinition(name))
  }

  it('it has problems', () => {
    expect(why('broken', 'steps: [{name: a, command: x, depends: nobody}]')).to.deep.equal({
      broken: 'definition_invalid'
    })
  })
  it('it has no schedule', () => {
    expect(why('plain', 'steps: [echo a]')).to.deep.equal({ plain: 'no_schedule' })
  })
  it('it waits for its next scheduled minute', () => {
    expect(why('nightly', 'schedule: "0 2 * * *"\nsteps: [echo a]')).to.deep.equal({ nightly: 'next_start' })
    const [reason] = live.engine.facts.explainDefinition('nightly').reasons
    expect(reason?.until).to.be.greaterThan(live.engine.now())
  })
  it('it is suspended', () => {
    why('asleep', 'schedule: "0 2 * * *"\nsteps: [echo a]')
    live.engine.suspendDefinition('asleep', true)
    expect(causesIn(live.engine.facts.explainDefinition('asleep'))).to.deep.equal({ asleep: 'suspended' })
  })
  it('as many of its runs are at work as may be', async () => {
    const home = temporaryFolder()
    write(live.engine, 'held', waiting(home))
    const key = await live.engine.start({ fileName: 'held' })
    expect(causesIn(live.engine.facts.explainDefinition('held'))).to.deep.equal({ held: 'max_active_runs no_schedule' })
    go(home)
    await live.engine.result(key)
  })
  it('the engine begins nothing by schedules', async () => {
    const engine = await createEngine({ temporary: true })
    write(engine, 'nightly', 'schedule: "0 2 * * *"\nsteps: [echo a]')
    expect(causesIn(engine.facts.explainDefinition('nightly'))).to.deep.equal({ nightly: 'schedules_off' })
    await engine.close()
  })
  it('there is no such definition', () => {
    expect(() => live.engine.facts.explainDefinition('nobody'))
      .to.throw()
      .with.property('code', 'not_found')
  })
})
