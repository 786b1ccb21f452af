/** Who or what stops a run is stored with it, told by its details, its journal and the reason of its end. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { clientHere } from '../../../src/cli/owner/client-here.ts'
import { systemClock } from '../../../src/clock.ts'
import { fetchHandler } from '../../../src/http/index.ts'
import { createEngine, type Engine, type RunKey } from '../../../src/index.ts'
import { userName } from '../../../src/platform/user-name.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('engine › who has stopped a run', () => {
  const home = temporaryFolder()
  let engine: Engine
  const spec = 'name: t\nmaxActiveRuns: -1\nsteps: [{name: a, executor: {type: approval}}]'
  const waiting = async (dagRunId: string): Promise<RunKey> => {
    const key = await engine.start({ spec, dagRunId })
    await eventually('it waits', () => engine.waiting().find(({ run }) => run.dagRunId === dagRunId))
    return key
  }
  const stopperOf = (key: RunKey) => engine.record(key)?.stoppedBy
  const reasonOf = (key: RunKey) => engine.facts.explain(key).reasons.map(({ text }) => text)
  before(async () => {
    engine = await createEngine({ home, defaultShell: 'sh' })
  })
  after(() => engine.close({ runs: 'stop' }))

  it('the application, with or without a name', async () => {
    const [one, other] = [await waiting('one'), await waiting('other')]
    await engine.stop(one)
    await engine.stop(other, { by: 'anna' })
    expect((await engine.result(one)).run.stoppedBy).to.deep.equal({ type: 'host' })
    expect((await engine.result(other)).run.stoppedBy).to.deep.equal({ type: 'host', by: 'anna' })
    expect(reasonOf(one)).to.include('the run was stopped by the application that embeds the engine')
    expect(reasonOf(other)).to.include('the run was stopped by anna, in the application that embeds the engine')
  })
  it('the user of a request, as the details of the run say; the user of the command line', async () => {
    const [one, other] = [await waiting('by-request'), await waiting('by-command')]
    const ask = fetchHandler(engine, { authorize: () => ({ name: 'the user eve', permissions: ['read', 'run'] }) })
    const at = (path: string, method: string) => ask(new Request(`http://shop.example/api/v2${path}`, { method }))
    expect((await at('/dag-runs/t/by-request/stop', 'POST')).status).to.equal(200)
    await engine.result(one)
    const { dagRunDetails: details } = (await (await at('/dag-runs/t/by-request', 'GET')).json()) as {
      dagRunDetails: { stoppedBy: object }
    }
    expect(details.stoppedBy).to.deep.equal({ type: 'api', by: 'the user eve' })
    await clientHere(engine, systemClock).acts.stopRun({ path: { name: 't', dagRunId: 'by-command' } })
    const by = userName()
    expect((await engine.result(other)).run.stoppedBy).to.deep.equal({ type: 'cli', ...(by ? { by } : {}) })
  })
  it('the first of several; the journal has it', async () => {
    const spec = 'name: s\nsteps: [{name: a, command: "trap : TERM; while :; do sleep 0.1; done"}]'
    const key = await engine.start({ spec })
    await eventually('its step runs', () => engine.run(key)?.nodes.find(({ node }) => node.status === 'running'))
    await engine.stop(key, { by: 'the token ci', via: 'api' })
    expect(reasonOf(key).join()).to.contain('was asked to stop by the token ci, over the API and waits for')
    await engine.stop(key, { by: 'ops', via: 'cli', force: true })
    expect((await engine.result(key)).run.stoppedBy).to.deep.equal({ type: 'api', by: 'the token ci' })
    const stopped = engine.journal(key, 0, 100).find(({ event }) => event === 'run.stop')
    expect(stopped?.context).to.deep.include({ stoppedBy: { type: 'api', by: 'the token ci' } })
  })
  it('a retry of the run is not stopped any more', async () => {
    const key = await waiting('again')
    await engine.stop(key, { by: 'anna' })
    await engine.result(key)
    await engine.retry(key)
    await eventually('it waits', () => engine.waiting().find(({ run }) => run.dagRunId === 'again'))
    expect(stopperOf(key)).to.equal(undefined)
    await engine.signal({ ...key, step: 'a' }, { approved: true })
    expect((await engine.result(key)).run.stoppedBy).to.equal(undefined)
  })
  it('outlives a restart while the run stops; an engine that stops its runs as it closes says so', async () => {
    const file = join(home, 'go')
    const spec = `name: h\nhandlerOn: {cancel: {command: "until [ -f ${file} ]; do sleep 0.05; done"}}\nsteps: [{name: a, executor: {type: approval}}]`
    const key = await engine.start({ spec })
    await eventually('it waits', () => engine.waiting({ dag: 'h' })[0])
    await engine.stop(key, { by: 'anna' })
    await engine.close()
    engine = await createEngine({ home, defaultShell: 'sh' })
    writeFileSync(file, '')
    expect((await engine.result(key)).run.stoppedBy).to.deep.equal({ type: 'host', by: 'anna' })
    const open = await waiting('open')
    await engine.close({ runs: 'stop' })
    engine = await createEngine({ home, defaultShell: 'sh' })
    expect(stopperOf(open)).to.deep.equal({ type: 'engine' })
    expect(reasonOf(open)).to.include('the run was stopped because the engine closed')
  })
})
