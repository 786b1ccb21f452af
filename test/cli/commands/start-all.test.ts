import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../src/cli/commands/start-all.ts'
import { version } from '../../../src/cli/commands/version.ts'
import { readArguments } from '../../../src/cli/input/arguments.ts'
import { commands } from '../../../src/cli/input/commands.ts'
import { connectToOwner } from '../../../src/cli/owner/client.ts'
import { readConfig, type Settings } from '../../../src/config.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { LimitReached, TroupeError } from '../../../src/errors.ts'
import { fakeCliEngine, type Stage, settled, stage } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

async function startAll(context: Stage, ...argv: string[]): Promise<number> {
  const command = commands.find(({ name }) => name === 'start-all')
  if (!command) throw new Error('no command start-all')
  return run(await readArguments(command, argv), context)
}

function scene() {
  const home = temporaryFolder()
  const engine = fakeCliEngine(home)
  return { home, engine, here: stage(home, engine) }
}

describe('troupe start-all', () => {
  it('prints where to look: address, home, definitions folder, one curl line', async () => {
    const { home, here } = scene()
    const going = startAll(here)
    await settled()
    expect(here.written.out).to.equal(`Troupe ${version()} is up
  page         http://127.0.0.1:1/
  API          http://127.0.0.1:1/api/v2
  home         ${home}
  definitions  ${home}/dags
  try          curl http://127.0.0.1:1/api/v2/dags
`)
    here.interrupt()
    expect(await going).to.equal(0)
  })

  it('the curl line is let in by the server, and names no secret', async () => {
    const tryLine = async (environment: Record<string, string>) => {
      const { here } = scene()
      const { auth } = readConfig({ home: temporaryFolder() }, environment)
      const opened = here.createEngine
      here.createEngine = async (options) => {
        const engine = await opened(options)
        return Object.assign(engine, { config: { ...engine.config, auth } })
      }
      const going = startAll(here)
      await settled()
      here.interrupt()
      await going
      return /try +(.*)\n/.exec(here.written.out)?.[1]
    }
    const url = 'http://127.0.0.1:1/api/v2/dags'
    expect(await tryLine({ ENGINE_AUTH_TOKEN: 'sesame' })).to.equal(
      `curl -H "Authorization: Bearer $ENGINE_AUTH_TOKEN" ${url}`
    )
    const basic = { ENGINE_AUTH_BASIC_PASSWORD: 'sesame' }
    expect(await tryLine({ ...basic, ENGINE_AUTH_BASIC_USERNAME: 'ann' })).to.equal(`curl --user ann ${url}`)
    expect(await tryLine({ ...basic, ENGINE_AUTH_BASIC_USERNAME: "o'ann" })).to.equal(`curl --user 'o'\\''ann' ${url}`)
  })

  it('--json prints the same as one object, quiet nothing', async () => {
    for (const [flag, wanted] of [
      ['--json', 'object'],
      ['-q', '']
    ] as const) {
      const { home, here } = scene()
      const going = startAll(here, flag)
      await settled()
      if (wanted === '') expect(here.written.out).to.equal('')
      else
        expect(JSON.parse(here.written.out)).to.deep.equal({
          version: version(),
          address: 'http://127.0.0.1:1',
          home,
          dagsDir: join(home, 'dags')
        })
      here.interrupt()
      await going
    }
  })

  it('the folder of definitions that it names is made; that one was asked for and not there is said, quiet or not', async () => {
    const { home, here } = scene()
    const said = async (...argv: string[]) => {
      here.written.err = ''
      const going = startAll(here, ...argv)
      await settled()
      here.interrupt()
      await going
      return here.written.err
    }
    const told = (name: string) =>
      `WARN the folder of definitions did not exist: an empty one was created dagsDir="${home}/${name}"`
    expect(await said('--dags', join(home, 'flows'))).to.contain(told('flows'))
    expect(await said('--dags', join(home, 'flows'))).to.not.contain('WARN')
    expect(await said('-q', '--dags', join(home, 'others'))).to.contain(told('others'))
    expect(await said()).to.not.contain('WARN')
    for (const folder of ['flows', 'others', 'dags']) expect(statSync(join(home, folder)).mode & 0o777).to.equal(0o755)
  })

  it('a folder of definitions that cannot be made is said, with the reason', async () => {
    const { home, here } = scene()
    writeFileSync(join(home, 'file'), '')
    const going = startAll(here, '--dags', join(home, 'file', 'flows'))
    await settled()
    here.interrupt()
    await going
    expect(here.written.err).to.contain(
      `WARN the folder of definitions cannot be created: there are no definitions until it exists dagsDir="${home}/file/flows" reason="a part of its path is no folder"`
    )
  })

  it('logs on stderr: starts and ends of runs', async () => {
    const { engine, here } = scene()
    const going = startAll(here)
    await settled()
    engine.end(await engine.start({ file: '/etl.yaml', dagRunId: 'r1' }), 'failed')
    here.interrupt()
    await going
    expect(here.written.err).to.match(
      /INFO run started name="etl" dagRunId="r1"\n.*INFO run failed name="etl" dagRunId="r1"\n/
    )
    expect(here.written.out).to.not.contain('INFO')
  })

  it('logs the end of a run that was given up before it went on, and no start of it', async () => {
    const { engine, here } = scene()
    const going = startAll(here)
    await settled()
    engine.emit({ name: 'etl', dagRunId: 'r1' }, { event: 'run.parked', to: 'failed', status: 'failed' })
    here.interrupt()
    await going
    expect(here.written.err).to.match(/INFO run failed name="etl" dagRunId="r1"\n/)
    expect(here.written.err).to.not.contain('run started')
  })

  it('logs a failed request with all its causes, which the caller does not see', async () => {
    const { here } = scene()
    let log = (_message: string, _cause: unknown) => {}
    const serve: Stage['serve'] = (engine, options) => {
      log = options.log
      return here.serve(engine, options)
    }
    const going = startAll({ ...here, serve })
    await settled()
    const refused = new Error('connect ECONNREFUSED 127.0.0.1:9')
    const cause = new TypeError('fetch failed', { cause: new AggregateError([refused]) })
    log('GET /x failed', new TroupeError('service_unavailable', 'the provider does not answer', { cause }))
    const looped: Error & { cause?: unknown } = new Error('round')
    looped.cause = looped
    log('GET /y failed', looped)
    log('GET /z failed', 'a text')
    log('GET /events refused', new LimitReached('there are 500 event streams'))
    here.interrupt()
    await going
    const why = 'TypeError: fetch failed <- Error: connect ECONNREFUSED 127.0.0.1:9'
    expect(here.written.err).to.contain(
      `ERROR GET /x failed cause="TroupeError: the provider does not answer <- ${why}"`
    )
    expect(here.written.err).to.contain('cause="Error: round <- Error: round <- ').and.contain('cause="a text"')
    expect(here.written.err, 'a limit is no fault').to.contain(
      'WARN GET /events refused cause="TroupeError: there are 500 event streams"'
    )
  })

  it('-s/--host, -p/--port and -d/--dags are settings of the engine', async () => {
    const { home, engine, here } = scene()
    let given: Settings = {}
    const createEngine = async (options: Settings): Promise<Engine> => {
      given = options
      return engine
    }
    const going = startAll({ ...here, createEngine }, '-s', '127.0.0.2', '-p', '81', '-d', 'flows', '--home', home)
    await settled()
    expect(given).to.include({ host: '127.0.0.2', port: 81, dagsDir: 'flows', home })
    here.interrupt()
    await going
  })

  it('--port must be a number', async () => {
    const error = await startAll(scene().here, '--port', 'http').catch((error: Error) => error)
    expect(error).to.have.property('message', '--port: wanted a number, found "http"')
  })

  it('serves the socket for other commands, and no longer after it has ended', async () => {
    const { home, here } = scene()
    const going = startAll(here)
    await settled()
    const client = await connectToOwner(join(home, 'data', 'troupe.sock'), here.clock)
    expect(client?.dagsDir).to.equal(join(home, 'dags'))
    here.interrupt()
    await going
    expect(await connectToOwner(join(home, 'data', 'troupe.sock'), here.clock)).to.equal(undefined)
  })

  it('7.3.11 on SIGTERM/SIGINT running steps survive; ENGINE_SHUTDOWN=stop stops their runs', async () => {
    for (const [wanted, runs] of [
      [undefined, 'leave'],
      ['leave', 'leave'],
      ['stop', 'stop']
    ] as const) {
      const { home, engine, here } = scene()
      let closed: string | undefined
      engine.close = async (options) => {
        closed = options?.runs
      }
      const configure = (settings: Settings) =>
        readConfig({ home, ...settings }, wanted ? { ENGINE_SHUTDOWN: wanted } : {})
      const going = startAll({ ...here, configure })
      await settled()
      here.interrupt()
      await going
      expect(closed).to.equal(runs)
    }
    const { home, here } = scene()
    const configure = (settings: Settings) => readConfig({ home, ...settings }, { ENGINE_SHUTDOWN: 'kill' })
    const error = await startAll({ ...here, configure }).catch((error: Error) => error)
    expect(error).to.have.property('message', 'ENGINE_SHUTDOWN: wanted leave or stop, found "kill"')
  })

  it('closes gracefully, at most 30 s', async () => {
    const { engine, here } = scene()
    engine.close = () => new Promise(() => {})
    let code: number | undefined
    void startAll(here).then((found) => {
      code = found
    })
    await settled()
    here.interrupt()
    await settled()
    here.clock.pass(29_000)
    await settled()
    expect(code).to.equal(undefined)
    here.clock.pass(1_000)
    await settled()
    expect(code).to.equal(0)
    expect(here.written.err).to.contain('WARN left before everything was closed')
  })

  it('one failing service ends all', async () => {
    const { engine, here } = scene()
    const cause = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' })
    const serve = () => Promise.reject(new TroupeError('service_unavailable', 'cannot listen', { cause }))
    const error = await startAll({ ...here, serve }).catch((error: Error) => error)
    expect(error).to.have.property(
      'message',
      'port 8080 of 127.0.0.1 is in use: choose another with --port; 0 takes any free one'
    )
    expect(engine.isClosed).to.equal(true)
  })

  it('a home that another engine owns is refused', async () => {
    const { here } = scene()
    const inUse = new TroupeError('service_unavailable', 'this home is in use')
    const error = await startAll({ ...here, createEngine: () => Promise.reject(inUse) }).catch((error: Error) => error)
    expect(error).to.equal(inUse)
  })
})
