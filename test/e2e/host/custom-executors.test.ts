/** Executors that a host application registers: typed config, validation, the same frame as the built-in ones. */
import { expect } from 'chai'
import { createEngine, defineExecutor, type Engine, TroupeError } from '../../../src/index.ts'
import { odd, redis } from '../../support/engine/host-executors.ts'
import { type Ended, seen, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { service } from '../../support/services.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('custom executors', () => {
  let engine: Engine
  const home = temporaryFolder()
  before(async () => {
    engine = await createEngine({ home, defaultShell: 'sh', executors: [redis, odd] })
  })
  after(() => engine?.close())
  let count = 0
  const run = async (spec: string): Promise<Ended> =>
    seen(await engine.result(await engine.start({ spec, name: `custom-${++count}` })))

  describe('with a service of the host', () => {
    const server = service('redis')
    it('config is expanded and typed weakly; words, output, logs and secrets are as in any step', async () => {
      const ended = await run(`
params: "KEY=fruit"
env: [URL: ${server.address}]
steps:
  - {executor: {type: redis, config: {url: "\${URL}"}}, command: 'set "\${KEY} of the day" "red apple"'}
  - name: asks
    executor: {type: redis, config: {URL: "\${URL}", timeout: "5", verbose: "true", keys: "\${KEY} of the day", other: left alone}}
    command: GET
    output: FOUND
  - echo "\${FOUND}"
`)
      expect(ended.status, JSON.stringify(ended.nodes.map(({ node }) => node.error))).to.equal('succeeded')
      expect(ended.out('asks')).to.equal('asked\nred apple\n')
      expect(ended.err('asks')).to.equal('asking within 5 s\n')
      expect(ended.node('asks').output).to.equal('red apple')
      expect(ended.out('cmd_3')).to.equal('red apple\n')
    })
    it('what it throws fails the step: exit code 1, the message on stderr and in the error', async () => {
      const ended = await run(
        `steps: [{name: a, executor: {type: redis, config: {url: "${server.address}"}}, command: NONSENSE}]`
      )
      expect(ended.node('a')).to.include({ status: 'failed', exitCode: 1 })
      expect(ended.node('a').error).to.match(/exit status 1\nrecent stderr \(tail\):\nRedis says: ERR unknown command/)
    })
  })

  describe('validation', () => {
    const problems = async (steps: string): Promise<unknown> => {
      try {
        await engine.start({ spec: `name: a\nsteps:\n${steps}` })
        return []
      } catch (error) {
        return (error as TroupeError).message.replace(/^invalid spec: /, '').split('; ')
      }
    }
    it('all problems with their places: what is missing, of the wrong kind, or found by the executor itself', async () => {
      expect(
        await problems(`  - executor: {type: redis, config: {timeout: [], verbose: {}, keys: {}, labels: x}}
  - {executor: {type: redis, config: {url: x}}, command: a}
  - {executor: redis, command: a}
  - {executor: rediss, command: a}`)
      ).to.deep.equal([
        "field 'steps[0]': redis executor requires a command of Redis (line 3, column 5)",
        "field 'url': is required by the executor redis (line 3, column 37)",
        "field 'timeout': must be: number (value: []) (line 3, column 47)",
        "field 'verbose': must be: boolean (value: {}) (line 3, column 60)",
        "field 'keys': must be: text or list of texts (value: {}) (line 3, column 70)",
        'field \'labels\': must be: map of texts or lists of texts (value: "x") (line 3, column 82)',
        "field 'url': is required by the executor redis (line 5, column 16)",
        'field \'executor\': executor type "rediss" is not registered (did you mean redis?) (line 6, column 16)'
      ])
    })
    it('a text with variables that becomes none of its kind fails the step', async () => {
      const ended = await run(
        'params: "T=soon"\nsteps: [{name: a, executor: {type: redis, config: {url: x, timeout: "${T}"}}, command: GET}]'
      )
      expect(ended.err('a')).to.equal('config.timeout: wanted a number, found a string\n')
    })
    it('stored definitions know them too', async () => {
      await engine.createDefinition('stored', 'steps: [{executor: odd, command: x}]')
      expect(engine.definition('stored').definition.problems).to.deep.equal([])
    })
    it('a type that is built in, an alias, given twice, or no name is refused', async () => {
      for (const [types, why] of [
        [['docker'], 'it is built in'],
        [['github-action'], 'it is built in'],
        [['a', 'a'], 'it is there twice'],
        [['a b'], 'letters, digits, _ and - make a type'],
        [['constructor', '__proto__'], 'letters, digits, _ and - make a type']
      ] as const) {
        const executors = types.map((type) => defineExecutor({ type, execute: async () => {} }))
        const error = await createEngine({ temporary: true, executors }).catch((error: unknown) => error)
        expect(error).to.be.instanceOf(TroupeError).and.have.property('code', 'bad_request')
        expect((error as Error).message).to.contain(why)
      }
    })
    it('an engine without them refuses their steps', async () => {
      const other = await createEngine({ temporary: true })
      const refused = await other
        .start({ spec: 'name: a\nsteps: [{executor: odd, command: x}]' })
        .catch((e: Error) => e)
      expect((refused as Error).message).to.contain('executor type "odd" is not registered')
      await other.close()
    })
  })

  describe('executing', () => {
    const one = (command: string, more = '') =>
      run(`maxCleanUpTimeSec: 1\nsteps: [{name: a, executor: odd, command: ${command}, ${more}}]`)
    it('text is passed whole, with script, environment and directory', async () => {
      const ended = await one('".x | $y"', 'script: "in ${OWN}", env: [OWN: mine]')
      expect(ended.out('a')).to.equal('a|.x | $y|in mine|mine|true')
    })
    it('a number is the exit code; an error fails with its message; another end is refused', async () => {
      expect((await one('code')).node('a').exitCode).to.equal(7)
      expect((await one('fails')).node('a').error).to.contain('wanted fruit, found stone')
      expect((await one('nonsense')).node('a').error).to.contain('has ended with -1.5: wanted an exit code from 0')
    })
    it('an exit code is an integer that definitions can name, and nothing that only looks like one', async () => {
      expect((await one('code 9007199254740991')).node('a')).to.include({ exitCode: Number.MAX_SAFE_INTEGER })
      for (const [command, found] of [
        ['code 1e21', '1e+21'],
        ['code NaN', 'NaN'],
        ['code as text', '"0"'],
        ['no code', 'no exit code']
      ] as const) {
        const { exitCode, error } = (await one(command)).node('a')
        expect(exitCode, command).to.equal(1)
        expect(error).to.contain(`has ended with ${found}: wanted an exit code from 0 to 9007199254740991`)
      }
    })
    it('what is thrown may be anything: what has a message says it, and what becomes no text is a failure like others', async () => {
      expect((await one('throws like an error')).err('a')).to.equal('wanted bread, found stone\n')
      const thrown = await one('throws no text')
      expect([thrown.node('a').exitCode, thrown.err('a')]).to.deep.equal([1, 'what was thrown cannot be read\n'])
    })
    it('a map arrives as pairs; a list in it gives a pair for each of its items', async () => {
      const ended = await run(
        'steps: [{name: a, executor: {type: odd, config: {labels: {a: 1, b: [x, y], c: []}}}, command: pairs}]'
      )
      expect(ended.out('a')).to.equal('[["a","1"],["b","x"],["b","y"]]')
    })
    for (const [command, limitMs] of [
      ['waits', 900],
      ['pipes without end', 900],
      ['is deaf', 2_000]
    ] as const)
      it(`7.3: a stop ends it within maxCleanUpTimeSec + 1 s: one that ${command}`, async function () {
        this.retries(WHEN_BUSY)
        const spec = `maxCleanUpTimeSec: 1\nsteps: [{name: a, executor: odd, command: ${command}}]`
        const key = await engine.start({ spec, name: `stopped-${++count}` })
        await eventually('its start', () => textOf(engine.run(key)?.nodes[0]?.node.stdout) || undefined)
        const asked = performance.now()
        await engine.stop(key)
        const ended = seen(await engine.result(key))
        expect(performance.now() - asked).to.be.lessThan(limitMs)
        expect(ended.statuses).to.deep.equal(['canceled'])
        expect(ended.err('a')).to.equal('')
        expect(ended.node('a').error).to.match(/^signal: (terminated|killed)$/)
      })
    it('a pipeline to stdout whose source breaks off is an error like any other, and what came before it is kept', async () => {
      const ended = await one('pipes what breaks off', 'output: OUT')
      expect(ended.node('a')).to.include({ status: 'failed', exitCode: 1, output: 'one\ntwo' })
      expect(ended.node('a').error).to.match(/exit status 1\nrecent stderr \(tail\):\nthe source broke off$/)
    })
    it('output written after the end is dropped', async () => {
      const ended = await one('writes too late')
      expect([ended.statuses, ended.out('a')]).to.deep.equal([['succeeded'], ''])
    })
    it('nothing, also null, is success; an output that is no text is refused', async () => {
      expect((await one('null')).statuses).to.deep.equal(['succeeded'])
      expect((await one('odd output')).node('a').error).to.contain('has ended with a number as its output: wanted text')
    })
    it('what it prints is not held in memory', async () => {
      const before = process.memoryUsage().arrayBuffers
      const ended = await one('much')
      expect(ended.out('a').length).to.be.greaterThan(64e6)
      expect(process.memoryUsage().arrayBuffers - before).to.be.lessThan(32e6)
    })
  })
})
