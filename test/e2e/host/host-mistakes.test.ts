/** Wrong options of a host application, above all from JavaScript: each is named, and nothing changes. Source: docs/configuration.md "In a host application". */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, TroupeError } from '../../../src/index.ts'
import { create, problemsOf } from '../../support/engine/refusals.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { HOSTILE } from '../../support/hosts/hostile-values.ts'

describe('createEngine › options of a host application', () => {
  const refusal = (options: object) => problemsOf(() => create({ temporary: true, ...options }))

  it('unknown options and settings are refused by name with the nearest known one, all problems at once', async () => {
    const home = join(temporaryFolder(), 'home')
    const settings = { basepath: '/x', 'auth.tokn.value': 't', zebra: 1 }
    const input = { home, dagDir: 'x', flying: true, basePath: '/eng', queues: {}, debug: 'maybe', settings }
    expect(await problemsOf(() => create(input))).to.deep.equal([
      'unknown option dagDir; did you mean dagsDir?',
      'unknown option flying',
      "unknown option basePath; wanted it in settings: { 'basePath': ... }",
      "unknown option queues; wanted it in settings: { 'queues.enabled': ..., 'queues.config': ... }",
      'settings: unknown setting basepath; did you mean basePath?',
      'settings: unknown setting auth.tokn.value; did you mean auth.token.value?',
      'settings: unknown setting zebra',
      'debug: wanted true or false, found "maybe"'
    ])
    expect(existsSync(home)).to.equal(false)
  })

  it('settings that are wrong are named as the host gave them, each once', async () => {
    expect(await problemsOf(() => create({ home: 5, port: 'x', dagsDir: false }))).to.deep.equal([
      'home: wanted a path, found 5',
      'port: wanted an integer from 0 to 65535, found "x"',
      'dagsDir: wanted a path, found false'
    ])
    expect(await refusal({ settings: { port: 70_000, 'paths.logDir': 1n, metrics: () => {} } })).to.deep.equal([
      'port: wanted an integer from 0 to 65535, found 70000',
      'metrics: wanted private or public, found a function',
      'paths.logDir: wanted a path, found a bigint'
    ])
  })

  it('options of another type are refused with what was wanted and found', async () => {
    expect(
      await refusal({
        readOnly: 'yes',
        schedules: 1,
        log: 'stdout',
        clock: {},
        openStore: 'x',
        settings: [],
        executors: 5
      })
    ).to.deep.equal([
      'readOnly: wanted true or false, found "yes"',
      'schedules: wanted true or false, found 1',
      'log: wanted "stderr" or an object with the functions debug, info, warn and error, found "stdout"',
      'clock: wanted an object with the functions now, elapsed, at, after, soon and random, found an object',
      'openStore: wanted a function, found "x"',
      'settings: wanted an object, found an array',
      'executors: wanted a list, found 5'
    ])
    expect(await refusal({ inspect: { prot: 1, to: 5 }, monitoring: { intervalMs: '5s' } })).to.deep.equal([
      'monitoring: intervalMs: wanted a number above 0, found "5s"',
      'monitoring: retentionMs: wanted a number above 0, found nothing',
      'inspect: unknown option prot; did you mean port?',
      'inspect: to: wanted text, found 5'
    ])
    for (const intervalMs of [0, -1, Number.NaN])
      expect(await refusal({ monitoring: { intervalMs, retentionMs: 1 } })).to.deep.equal([
        `monitoring: intervalMs: wanted a number above 0, found ${intervalMs}`
      ])
    for (const port of [-1, 1.5, 65_536])
      expect(await refusal({ inspect: { port } })).to.deep.equal([
        `inspect: port: wanted an integer from 0 to 65535, found ${port}`
      ])
    for (const options of [null, 5, 'home', []])
      expect((await problemsOf(() => create(options)))[0]).to.match(/^options: wanted an object, found /)
  })

  it('an executor without execute is refused, and so are others that could never work', async () => {
    const execute = async () => {}
    const executors = [{ type: 'a' }, 5, { type: 7, execute }, { type: 'b', execute, close: true, reads: 'bytes' }]
    expect(await refusal({ executors })).to.deep.equal([
      'executors[0]: execute: wanted a function, found nothing',
      'executors[1]: wanted an object, found 5',
      'executors[2]: type: wanted text, found 7',
      'executors[3]: reads: wanted words or text, found "bytes"',
      'executors[3]: close: wanted a function, found true'
    ])
    const config = { a: { is: 'string' }, b: 'text', c: { is: 'text', requird: true } }
    expect(await refusal({ executors: [{ type: 'a', execute, validate: 'x', config }] })).to.deep.equal([
      'executors[0]: config: a: is: wanted text, flag, number, texts, map or any, found "string"',
      'executors[0]: config: b: wanted an object, found "text"',
      'executors[0]: config: c: unknown member requird; did you mean required?',
      'executors[0]: validate: wanted a function, found "x"'
    ])
  })

  it('temporary: a home beside it is refused, since nothing would be kept there', async () => {
    expect(await refusal({ home: temporaryFolder() })).to.deep.equal([
      'home: wanted none with temporary, which has its own folder, removed at close'
    ])
  })

  it('an option that cannot be read is refused by name, whatever it is', async () => {
    const outcome = async (options: object) =>
      createEngine({ temporary: true, ...options }).then(
        (engine) => engine.close().then(() => 'opened'),
        (error: unknown) => (error instanceof TroupeError ? error.code : `${Object.keys(options)}: ${error}`)
      )
    for (const [what, value] of Object.entries(HOSTILE))
      for (const key of ['settings', 'functions', 'dags', 'executors', 'log', 'clock', 'coordinator', 'tz', 'port'])
        expect(await outcome({ [key]: value() }), `${key}: ${what}`).to.be.oneOf(['bad_request', 'opened'])
    const { message } = await createEngine({ temporary: true, dags: HOSTILE['revoked proxy']?.() } as object).catch(
      (error) => error
    )
    expect(message).to.equal('dags: it cannot be read')
  })
  it('an option that is undefined is absent', async () => {
    const engine = await create({ temporary: true, port: undefined, executors: undefined, settings: undefined })
    await engine.close()
  })

  it('a log that fails at every word keeps no run from its end, and is warned of once', async () => {
    const warnings: string[] = []
    const listen = ({ message }: Error) => void warnings.push(message)
    process.on('warning', listen)
    const fail = () => {
      throw new Error('the log is closed')
    }
    const engine = await createEngine({
      temporary: true,
      defaultShell: 'sh',
      log: { debug: fail, info: fail, warn: fail, error: fail }
    })
    try {
      engine.subscribe(() => {
        throw new Error('which is logged')
      })
      const { run } = await engine.result(await engine.start({ spec: 'name: a\nsteps: ["true", "false"]\n' }))
      expect(run.status).to.equal('failed')
    } finally {
      await engine.close()
      process.off('warning', listen)
    }
    expect(warnings).to.deep.equal(['the log that the host application has given to Troupe failed: the log is closed'])
  })

  it('temporary: an engine that could not be opened leaves no folder behind', async () => {
    const { TMPDIR } = process.env
    const folder = temporaryFolder()
    process.env.TMPDIR = folder
    await refusal({ port: 'x' })
    await create({ temporary: true, executors: [{ type: 'docker', execute: async () => {} }] }).catch(() => {})
    await create({ temporary: true, settings: { skipExamples: false } }).catch(() => {})
    await create({ temporary: true, inspect: { to: 'http://127.0.0.1' } }).catch(() => {})
    const broken = () => {
      throw new Error('the disk is gone')
    }
    await create({ temporary: true, openStore: broken }).catch(() => {})
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    expect(readdirSync(folder)).to.deep.equal([])
  })
})
