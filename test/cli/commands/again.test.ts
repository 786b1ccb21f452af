/** Which run begins, and when: what has run before, limits and queues. Source: api-semantics 11. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { TroupeError } from '../../../src/errors.ts'
import { BY_USER, command, HELD, refusal, scene } from '../../support/cli/cli-scene.ts'
import { type FakeCliEngine, settled, stage } from '../../support/cli/fake-cli-engine.ts'

/** Resolves when something holds that needs no time of the clock, but files and sockets. */
async function until(what: string, holds: () => boolean): Promise<void> {
  for (const begun = performance.now(); !holds(); await settled())
    if (performance.now() - begun > 60_000) throw new Error(`waited 60 s for ${what}`)
}

const ends = (engine: FakeCliEngine, status: 'succeeded' | 'failed', name = 'etl') =>
  engine.acts.set(name, (key) => engine.end(key, status))

describe('troupe retry', () => {
  it('in place, in the foreground, with the exit code of the run', async () => {
    const { engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'r1', status: 'failed' })
    ends(engine, 'succeeded')
    expect(await command('retry', here, 'etl', '-r', 'r1')).to.equal(0)
    expect(engine.asked.retry).to.deep.equal([[{ name: 'etl', dagRunId: 'r1' }, BY_USER]])
    expect(here.written.err).to.contain('run r1 of etl\n').and.contain('✓ etl  succeeded')
    ends(engine, 'failed')
    expect(await command('retry', stage(here.cwd, engine), 'etl', '-r', 'r1', '--step', 's', '-n')).to.equal(1)
    expect(engine.asked.retry.at(-1)?.[1]).to.deep.equal({ stepName: 's', ...BY_USER })
    await command('retry', stage(here.cwd, engine), 'etl', '-r', 'r1', '--step', 's', '--downstream')
    expect(engine.asked.retry.at(-1)?.[1]).to.deep.equal({ stepName: 's', includeDownstream: true, ...BY_USER })
    await command('retry', stage(here.cwd, engine), 'etl', '-r', 'r1', '--disable-max-active-runs')
    expect(engine.asked.retry.at(-1)?.[1]).to.deep.equal({ unlimited: true, ...BY_USER })
  })

  it('--downstream wants --step', async () => {
    const { here } = scene()
    expect(await refusal('retry', here, 'etl', '--downstream')).to.contain('--downstream wants --step')
  })

  it('a name is its newest run; one that does not exist is the error', async () => {
    const { home, engine, here } = scene()
    expect(await refusal('retry', here, 'etl')).to.equal(`etl has no runs in the home ${home}`)
    engine.addRun({ name: 'etl', dagRunId: 'r1', status: 'failed' })
    expect(await refusal('retry', stage(home, engine), 'etl', '-r', 'r9')).to.equal(
      'there is no run r9 of etl; its newest is r1 (or say latest)'
    )
  })

  it('the error of a limit names the flag that ignores it; that of a run that has not ended does not', async () => {
    const { home, engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'r1', status: 'failed' })
    engine.failure = new TroupeError('already_running', 'etl is full', { details: { limit: 1, running: 1, queued: 0 } })
    expect(await refusal('retry', here, 'etl', '-r', 'r1')).to.equal(
      'etl is full; --disable-max-active-runs does without a place'
    )
    engine.failure = new TroupeError('already_running', 'it has not ended')
    expect(await refusal('retry', stage(home, engine), 'etl', '-r', 'r1')).to.equal('it has not ended')
  })
})

describe('a command in the foreground on a full disk', () => {
  it('Ctrl-C before the engine has answered: it is waited for 5 s longer, then left: 130, and what to look at', async () => {
    const { engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'r1', status: 'failed' })
    engine.retry = () => new Promise(() => {})
    let code: number | undefined
    void command('retry', here, 'etl', '-r', 'r1').then((found) => {
      code = found
    })
    await settled()
    here.interrupt()
    await settled()
    here.clock.pass(4_900)
    await settled()
    expect(code).to.equal(undefined)
    here.clock.pass(100)
    await until('the exit', () => code !== undefined)
    expect([code, engine.isClosed]).to.deep.equal([130, true])
    expect(here.written.err).to.contain(
      'left: the engine has not answered, perhaps because of a full disk; the run may exist (see troupe status)'
    )
  })

  it('a close that hangs is left after 30 s', async () => {
    const { engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'r1', status: 'failed' })
    ends(engine, 'succeeded')
    engine.close = () => new Promise(() => {})
    let code: number | undefined
    void command('retry', here, 'etl', '-r', 'r1').then((found) => {
      code = found
    })
    await until('the end of the run', () => here.written.err.includes('✓ etl  succeeded'))
    await settled()
    here.clock.pass(29_900)
    await settled()
    expect(code).to.equal(undefined)
    here.clock.pass(100)
    await until('the exit', () => code !== undefined)
    expect(code).to.equal(0)
    expect(here.written.err).to.contain('left before everything was closed')
  })
})

describe('troupe restart', () => {
  /** These are runs of an earlier engine: nothing waits for them here. */
  const ofBefore = (engine: FakeCliEngine) => {
    const runs = engine.runs
    engine.runs = (filter) => (filter?.from === undefined ? runs(filter) : [])
  }

  it('stops the running run, waits restartWaitSec, and starts the same again whatever the limits are', async () => {
    const { engine, here } = scene()
    const key = await engine.start({ file: '/etl.yaml', dagRunId: 'r1' })
    Object.assign(engine.run(key)?.plan ?? {}, { restartWaitMs: 5_000 })
    ofBefore(engine)
    const going = command('restart', here, 'etl')
    await until('the pause', () => here.written.err.includes('starts in'))
    expect(engine.stopped).to.deep.equal([key])
    expect(here.written.err).to.equal('stopping run r1 of etl\nit has ended; the next one starts in 5.0s\n')
    ends(engine, 'succeeded')
    here.clock.pass(4_900)
    await settled()
    expect(engine.started).to.have.length(1)
    here.clock.pass(200)
    await until('the next run', () => engine.started.length > 1)
    expect(await going).to.equal(0)
    expect(engine.started.at(-1)).to.deep.equal({ fromRun: key, unlimited: true, ...BY_USER })
  })

  it('a running run only: else 1; with several, which one must be said', async () => {
    const { home, engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'old' })
    expect(await refusal('restart', here, 'etl')).to.equal(
      'restart: wanted a running run, found none: etl is not running; troupe start begins one'
    )
    for (const dagRunId of ['r1', 'r2']) await engine.start({ file: '/etl.yaml', dagRunId })
    ofBefore(engine)
    expect(await refusal('restart', stage(home, engine), 'etl', '-r', 'old')).to.contain(
      'run old of etl is not running'
    )
    expect(await refusal('restart', stage(home, engine), 'etl')).to.match(
      /^restart: wanted one running run, found 2; say which with --run-id: r\d, r\d$/
    )
    expect(engine.stopped).to.deep.equal([])
  })

  it('Ctrl-C while it waits: 130, and nothing is started', async () => {
    const { engine, here } = scene()
    const key = await engine.start({ file: '/etl.yaml', dagRunId: 'r1' })
    Object.assign(engine.run(key)?.plan ?? {}, { restartWaitMs: 5_000 })
    ofBefore(engine)
    const going = command('restart', here, 'etl')
    await until('the pause', () => here.written.err.includes('starts in'))
    here.interrupt()
    let code: number | undefined
    void going.then((found) => {
      code = found
    })
    await until('its end', () => {
      here.clock.pass(100) // answers that are being given
      return code !== undefined
    })
    expect(code).to.equal(130)
    expect(engine.started).to.have.length(1)
    expect(here.written.err).to.contain('left: the run was asked to stop, and no other is started')
  })
})

describe('troupe start › which run, and when', () => {
  it('M>1 reached: it is queued, and the command exits 0', async () => {
    const { engine, here } = scene()
    engine.isFull = true
    expect(await command('start', here, 'etl', '-r', 'r1')).to.equal(0)
    expect(engine.started.at(-1)).to.include({ waitWhenFull: true })
    expect(here.written).to.deep.equal({ out: 'run r1 of etl is queued\n', err: HELD })
    const json = stage(here.cwd, engine)
    await command('start', json, 'etl', '-r', 'r2', '--json')
    expect(JSON.parse(json.written.out)).to.deep.equal({ queued: { name: 'etl', dagRunId: 'r2' } })
  })

  it('M=1 and running: the hint speaks of enqueue only where there are queues', async () => {
    const { home, engine, here } = scene()
    engine.failure = new TroupeError('max_run_reached', 'etl is full')
    expect(await refusal('start', here, 'etl')).to.equal(
      'etl is full; troupe enqueue waits for a place, --disable-max-active-runs does without one'
    )
    writeFileSync(join(home, 'config.yaml'), 'queues: {enabled: false}\n')
    expect(await refusal('start', stage(home, engine), 'etl')).to.equal(
      'etl is full; --disable-max-active-runs does without a place'
    )
  })

  it('--no-queue never waits, --disable-max-active-runs knows no limit', async () => {
    const { engine, here } = scene()
    ends(engine, 'succeeded')
    await command('start', here, 'etl', '-n', '--disable-max-active-runs')
    expect(engine.started.at(-1)).to.include({ noQueue: true, unlimited: true }).and.not.have.property('waitWhenFull')
  })

  it('--from-run-id takes definition and params of an earlier run, and no others beside', async () => {
    const { home, engine, here } = scene()
    ends(engine, 'succeeded')
    engine.addRun({ name: 'etl', dagRunId: 'r1' })
    await command('start', here, 'etl', '--from-run-id', 'r1', '-r', 'r2')
    expect(engine.started.at(-1)).to.deep.equal({
      fromRun: { name: 'etl', dagRunId: 'r1' },
      dagRunId: 'r2',
      waitWhenFull: true,
      ...BY_USER
    })
    expect(await refusal('start', stage(home, engine), 'etl', '--from-run-id', 'r1', '--', 'A=1')).to.equal(
      'start: wanted no parameters beside --from-run-id r1, which has its own, found A=1'
    )
  })
})
