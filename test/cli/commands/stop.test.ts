/** How a run is stopped: by `troupe stop`, and by signals to the command that started it. */
import { expect } from 'chai'
import { command, scene } from '../../support/cli/cli-scene.ts'
import { settled, stage } from '../../support/cli/fake-cli-engine.ts'

describe('troupe stop', () => {
  it('none running: message, 0', async () => {
    const { here } = scene()
    expect(await command('stop', here, 'etl')).to.equal(0)
    expect(here.written.out).to.equal('no run of etl is running\n')
  })

  it('without an id all running runs of the DAG, and waits for their end', async () => {
    const { engine, here } = scene()
    for (const dagRunId of ['r1', 'r2']) await engine.start({ file: '/etl.yaml', dagRunId })
    await engine.start({ file: '/other.yaml', dagRunId: 'r3' })
    const runs = engine.runs
    engine.runs = (filter) => (filter?.from === undefined ? runs(filter) : []) // these are none of this process
    expect(await command('stop', here, 'etl.yaml')).to.equal(0)
    expect(engine.stopped.map(({ dagRunId }) => dagRunId)).to.have.members(['r1', 'r2'])
    expect(here.written.out).to.contain('run r1 of etl: canceled')
  })

  it('with an id that run; one that is not running gets a message, 0', async () => {
    const { engine, here } = scene()
    await engine.start({ file: '/etl.yaml', dagRunId: 'r1' })
    expect(await command('stop', here, 'etl', '-r', 'r1', '--json')).to.equal(0)
    expect(JSON.parse(here.written.out)).to.deep.equal({
      stopped: [{ name: 'etl', dagRunId: 'r1', status: 'canceled' }]
    })
    const again = stage(here.cwd, engine)
    expect(await command('stop', again, 'etl', '-r', 'r1')).to.equal(0)
    expect(again.written.out).to.equal('run r1 of etl is not running\n')
  })

  it('a word that names no definition is taken as a DAG name', async () => {
    const { engine, here } = scene()
    await engine.start({ file: '/gone.yaml', dagRunId: 'r1' })
    await command('stop', here, 'gone')
    expect(engine.stopped).to.deep.equal([{ name: 'gone', dagRunId: 'r1' }])
    const error = await command('stop', stage(here.cwd, engine), 'no/such').catch((error: Error) => error)
    expect(error).to.have.property('message', 'wanted a definition or a DAG name, found neither: "no/such"')
  })
})

describe('troupe stop › runs that wait', () => {
  it('are not stopped: the message says how to remove them, 0', async () => {
    const { home, engine, here } = scene()
    await engine.enqueue({ file: '/etl.yaml', dagRunId: 'q1' })
    const hint = 'run q1 of etl waits in a queue; troupe dequeue --dag-run=etl:q1 removes it\n'
    expect(await command('stop', here, 'etl')).to.equal(0)
    expect(here.written.out).to.equal(`no run of etl is running\n${hint}`)
    const one = stage(home, engine)
    expect(await command('stop', one, 'etl', '-r', 'q1')).to.equal(0)
    expect(one.written.out).to.equal(`run q1 of etl is not running\n${hint}`)
    expect(engine.record({ name: 'etl', dagRunId: 'q1' })?.status).to.equal('queued')
  })
})

describe('troupe start › SIGINT/SIGTERM', () => {
  it('the first stops the run gracefully: 130', async () => {
    const { engine, here } = scene()
    const going = command('start', here, 'etl')
    const key = await engine.begun('etl')
    await settled()
    here.interrupt()
    expect(await going).to.equal(130)
    expect(engine.stopped).to.deep.equal([key])
    expect(here.written.err).to.contain('stopping')
    expect(here.written.err).to.contain('■ etl  canceled')
  })

  it('7.3.6 the second ends it by force, the third leaves at once with a message that steps live on', async () => {
    const { engine, here } = scene()
    const asked: unknown[] = []
    engine.stop = async (_key, { force } = {}) => void asked.push(force) // its steps take their time
    const going = command('start', here, 'etl')
    await engine.begun('etl')
    await settled()
    for (const requests of [[undefined], [undefined, true]]) {
      here.interrupt()
      await settled()
      expect(asked).to.deep.equal(requests)
      here.clock.pass(1_000)
    }
    here.interrupt()
    await settled()
    here.clock.pass(1_000) // answers that are being given
    expect(await going).to.equal(130)
    expect(here.written.err).to.match(/left: its steps continue, and the next engine on this home continues the run/)
    expect(engine.isClosed).to.equal(true)
  })

  it('two signals of one key press are one', async () => {
    const { engine, here } = scene()
    engine.stop = async (key) => void engine.stopped.push(key)
    const going = command('start', here, 'etl')
    const key = await engine.begun('etl')
    await settled()
    here.interrupt()
    here.clock.pass(50)
    here.interrupt()
    await settled()
    expect(here.written.err).to.not.contain('left')
    engine.end(key, 'canceled')
    expect(await going).to.equal(130)
  })

  it('a run that had succeeded already exits 0', async () => {
    const { engine, here } = scene()
    engine.stop = async (key) => engine.end(key, 'succeeded')
    const going = command('start', here, 'etl')
    await engine.begun('etl')
    await settled()
    here.interrupt()
    expect(await going).to.equal(0)
  })
})
