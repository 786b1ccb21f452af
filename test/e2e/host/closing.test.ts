/** An engine in a host application that is closed. Source: `Engine.close`, `Engine.subscribe`. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Engine, TroupeError } from '../../../src/index.ts'
import { textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const refused = async (answer: Promise<unknown>) => {
  const error = await answer.then(
    () => undefined,
    (error: unknown) => error
  )
  expect(error).to.be.instanceOf(TroupeError)
  expect(error).to.include({ code: 'service_unavailable' })
}
const sleeper = { spec: 'name: sleeper\nsteps: [sleep 5]' }
const hello = { spec: 'name: hello\nsteps: [echo hello]' }

describe('an engine that is closed', () => {
  let engine: Engine
  beforeEach(async () => {
    engine = await createEngine({ home: temporaryFolder() })
  })

  it('is closed once: a second call waits for the first, and touches no file of the host', async () => {
    await Promise.all([engine.close(), engine.close()])
    const folder = temporaryFolder()
    const files = Array.from({ length: 20 }, (_, index) => openSync(join(folder, String(index)), 'w'))
    await engine.close()
    for (const file of files) writeSync(file, 'x')
    for (const file of files) closeSync(file)
  })

  it('is closed once even when `closing` notifies somebody who closes it in turn', async () => {
    const again: Promise<void>[] = []
    engine.closing.addEventListener('abort', () => again.push(engine.close()))
    await engine.close()
    expect(again).to.have.length(1)
    await Promise.all(again)
  })

  it('refuses what it has not answered', async () => {
    const run = await engine.start(sleeper)
    const result = refused(engine.result(run))
    await engine.close({ runs: 'leave' })
    await result
    const again = await createEngine({ home: engine.home })
    await again.close({ runs: 'stop' })
  })

  it('answers or refuses a start that was asked for a moment before', async () => {
    const start = engine.start(hello).then(
      () => 'begun',
      (error: TroupeError) => error.code
    )
    await engine.close()
    expect(await start).to.be.oneOf(['begun', 'service_unavailable'])
  })

  it('refuses whatever it is asked from then on', async () => {
    await engine.close()
    await refused(engine.start(hello))
    await refused(engine.stop({ name: 'hello', dagRunId: 'r1' }))
    await refused(engine.retry({ name: 'hello', dagRunId: 'r1' }))
    await refused(engine.createDefinition('new'))
    for (const ask of [
      () => engine.runs(),
      () => engine.run({ name: 'hello', dagRunId: 'r1' }),
      () => engine.facts.run({ name: 'hello', dagRunId: 'r1' })
    ])
      expect(ask).to.throw(TroupeError, 'this engine has been closed').with.property('code', 'service_unavailable')
  })
})

describe('close({ runs: "stop" }): runs are stopped first', () => {
  const slow = {
    spec: `name: slow
steps:
  - script: |
      trap 'sleep 0.5; exit 1' TERM
      echo up
      sleep 20 & wait
`
  }

  it('a run that this makes room for waits in its queue for the next engine, and is not left running', async () => {
    const engine = await createEngine({ home: temporaryFolder() })
    const stubborn = await engine.start(slow)
    for (const dagRunId of ['r1', 'r2']) await engine.enqueue({ ...sleeper, dagRunId })
    await eventually('all at work', () => {
      const { status } = engine.record({ name: 'sleeper', dagRunId: 'r1' }) ?? {}
      return (status === 'running' && textOf(engine.run(stubborn)?.nodes[0]?.node.stdout)) || undefined
    })
    await engine.close({ runs: 'stop' })
    const next = await createEngine({ home: engine.home, holdQueues: true })
    const statuses = ['r1', 'r2'].map((dagRunId) => next.record({ name: 'sleeper', dagRunId })?.status)
    expect(statuses).to.deep.equal(['canceled', 'queued'])
    await next.close()
  })

  it('7.1.6 the handlers of a run have 5 s in total when a server ends', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, schedules: true })
    const command = `echo cancel >>${home}/marks; exec sleep 60`
    const key = await engine.start({
      spec: `name: slow\nhandlerOn: {cancel: '${command}', exit: 'echo exit >>${home}/marks'}\nsteps: [sleep 20]`
    })
    await eventually('its start', () => engine.run(key)?.nodes[0]?.node?.status === 'running' || undefined)
    const begun = Date.now()
    await engine.close({ runs: 'stop' })
    expect(Date.now() - begun).to.be.within(5_000, 20_000)
    const next = await createEngine({ home })
    expect(next.record(key)?.status).to.equal('canceled')
    expect(textOf(join(home, 'marks'))).to.equal('cancel\n')
    await next.close()
  })

  it('7.1.6 so have those of its sub runs, however long its own clean-up time is', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, schedules: true })
    const key = await engine.start({
      spec: `name: caller
maxCleanUpTimeSec: 60
steps: [{name: all, call: slow}]
---
name: slow
handlerOn: {cancel: 'exec sleep 60'}
steps: ['echo up >>${home}/up; exec sleep 20']`
    })
    await eventually('its start', () => textOf(join(home, 'up')) || undefined)
    const begun = Date.now()
    await engine.close({ runs: 'stop' })
    expect(Date.now() - begun).to.be.within(5_000, 20_000)
    const next = await createEngine({ home })
    expect(next.record(key)?.status).to.equal('canceled')
    await next.close()
  })

  it('one that begins meanwhile is stopped too', async () => {
    const engine = await createEngine({ home: temporaryFolder() })
    const stubborn = await engine.start(slow)
    await eventually('its start', () => textOf(engine.run(stubborn)?.nodes[0]?.node.stdout) || undefined)
    const closed = engine.close({ runs: 'stop' })
    const late = await engine.start(sleeper)
    await closed
    const next = await createEngine({ home: engine.home })
    expect(next.record(late)?.status).to.equal('canceled')
    await next.close()
  })
})

describe('subscribe: calls `listen` with every committed transition, in order', () => {
  it('one that throws takes nothing away from the others, an async one neither, nor the host its process', async () => {
    const said: unknown[] = []
    const log = { debug() {}, info() {}, warn() {}, error: (_: string, fields: unknown) => void said.push(fields) }
    const engine = await createEngine({ home: temporaryFolder(), log })
    let heard = 0
    engine.subscribe(() => {
      throw new Error('no')
    })
    engine.subscribe(async () => {
      throw new Error('not later either')
    })
    engine.subscribe(() => {
      throw Object.create(null) // becomes no text
    })
    engine.subscribe(() => heard++)
    const run = await engine.start(hello)
    await engine.result(run)
    expect(heard).to.equal(engine.journal(run, 0, 100).length)
    expect(said).to.deep.include({ error: 'Error: no' }).and.to.deep.include({ error: 'Error: not later either' })
    await engine.close()
  })
})
