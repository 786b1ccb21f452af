/** Function steps in an engine of their own process. Source: docs/executors/function.md, design "Semantics" 1 to 4. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, defineFunction } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'
import { eventually as until } from '../support/waiting.ts'
import { calls, deaf, fn, functionScene } from './scene.ts'

describe('function steps', () => {
  const { engine, begin, run, one, refusal, eventually, runs } = functionScene()

  describe('params', () => {
    it('are expanded, checked by a schema of any kind, and what that makes of them is what the function gets', async () => {
      const { output } = await one('{name: order/charge, params: {amount: "${AMOUNT}"}}', 'params: {AMOUNT: 12}')
      expect(calls[0]?.params).to.deep.equal({ amount: 12 })
      expect(JSON.parse(output ?? '')).to.include({ receipt: 'r12' })
      expect((await one('{name: valid, params: {word: yes}}')).output).to.equal('"yes"')
    })
    it('without variables are checked when the definition is read; nothing starts', async () => {
      const message = await refusal(
        begin('  - {name: a, executor: {type: function, config: {name: order/charge, params: {amount: -1}}}}')
      )
      expect(message).to.contain('params of the function "order/charge": amount: ')
      expect(
        await refusal(begin('  - {name: a, executor: {type: function, config: {name: broken schema}}}'))
      ).to.contain('could not be checked, its schema has thrown: the schema is broken')
      expect(engine().runs({ nameContains: `fn${runs()}` })).to.deep.equal([])
    })
    it('that a schema refuses at the step fail it, and are not tried again', async () => {
      const retries = 'retryPolicy: {limit: 3, intervalSec: 0}'
      const bad = await one('{name: order/charge, params: {amount: "${AMOUNT}"}}', 'params: {AMOUNT: x}', retries)
      expect([bad.status, bad.retryCount, bad.thrown?.name]).to.deep.equal(['failed', 0, 'InvalidParams'])
      const late = await one('{name: later, params: {id: b}}', '', retries)
      expect([late.status, late.thrown?.name]).to.deep.equal(['failed', 'InvalidParams'])
      expect((await one('{name: later, params: {id: a}}')).status).to.equal('succeeded')
    })
    it('a schema that throws when the step runs is an error of the attempt, which names the function', async () => {
      const { thrown } = await one('{name: broken schema, params: {a: "${A}"}}', 'params: {A: 1}')
      expect(thrown?.message).to.equal(
        'params of the function "broken schema" could not be checked, its schema has thrown: the schema is broken'
      )
      expect(thrown?.cause).to.deep.include({ name: 'TypeError', message: 'the schema is broken' })
    })
  })

  describe('results', () => {
    it('are stored as JSON and seen by the steps that depend on the step, also by those of the shell', async () => {
      const { nodes } = await run(`
  - {name: charge, output: PAID, executor: {type: function, config: {name: order/charge, params: {amount: 3}}}}
  - {name: word, output: WORD, executor: {type: function, config: {name: same, params: {value: "two words"}}}}
  - {name: say, depends: [charge, word], command: 'echo "\${PAID.receipt} \${WORD}"', output: SAID}
  - {name: see, depends: [charge, say], executor: {type: function, config: {name: results}}}`)
      expect(nodes[2]?.node.output).to.equal('r3 two words')
      expect(JSON.parse(nodes[3]?.node.output ?? '')).to.deep.equal({
        charge: { receipt: 'r3', secret: 'hush-hush' },
        say: 'r3 two words'
      })
    })
    it('no result is null', async () => {
      expect((await one('{name: nothing}')).output).to.equal('null')
    })
    it('that are no JSON fail with ResultNotJson and the path, without a retry', async () => {
      const { thrown, retryCount } = await one('{name: date}', '', 'retryPolicy: {limit: 2, intervalSec: 0}')
      expect(thrown).to.include({
        name: 'ResultNotJson',
        message: 'result.list[1].when: wanted JSON, found an instance of Date: return its toISOString()'
      })
      expect(retryCount).to.equal(0)
    })
    it('over maxOutputSize fail with ResultTooLarge, without a retry', async () => {
      const also = 'retryPolicy: {limit: 2, intervalSec: 0}'
      const { thrown, retryCount } = await one('{name: large, params: {length: 99}}', 'maxOutputSize: 100', also)
      expect([thrown?.name, retryCount]).to.deep.equal(['ResultTooLarge', 0])
      expect((await one('{name: large, params: {length: 98}}', 'maxOutputSize: 100')).status).to.equal('succeeded')
    })
    it('are masked where they are shown, and whole where they are used', async () => {
      const { nodes } = await run(
        `
  - {name: charge, executor: {type: function, config: {name: order/charge, params: {amount: 3}}}}
  - {name: see, depends: charge, executor: {type: function, config: {name: results}}}`,
        'secrets: [{name: HUSH, provider: env, key: HUSH}]'
      )
      expect(nodes[0]?.node.output).to.equal('{"receipt":"r3","secret":"*******"}')
      expect(calls[1]?.results).to.deep.equal({ charge: { receipt: 'r3', secret: 'hush-hush' } })
    })
  })

  describe('errors', () => {
    it('are retried; every attempt has the same idempotency key', async () => {
      const { status, output, thrown, run } = await one('{name: busy}', '', 'retryPolicy: {limit: 2, intervalSec: 0}')
      expect([status, output, thrown]).to.deep.equal(['succeeded', '3', undefined])
      expect(calls.map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3])
      expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey))).to.deep.equal(
        new Set([`${run.name}/${run.dagRunId}/a/0`])
      )
    })
    it('keep name, message, code, causes and stack', async () => {
      const { thrown, error } = await one('{name: busy}')
      expect(thrown).to.deep.include({ name: 'RangeError', message: 'busy', code: 'EBUSY' })
      expect(thrown?.cause).to.deep.include({ name: 'Error', message: 'net' })
      expect(thrown?.stack).to.match(/^at /)
      expect(error).to.equal('failed to execute step "a": RangeError: busy (EBUSY), caused by Error: net')
    })
    it('NonRetryable ends the retries; secrets are masked', async () => {
      const secrets = 'secrets: [{name: HUSH, provider: env, key: HUSH}]'
      const { thrown, retryCount, error } = await one(
        '{name: hopeless}',
        secrets,
        'retryPolicy: {limit: 9, intervalSec: 0}'
      )
      expect([thrown?.name, thrown?.message, retryCount]).to.deep.equal(['NonRetryable', 'no such card *******', 0])
      expect(error).not.to.contain('hush')
    })
    it('what is no error is kept as text', async () => {
      expect((await one('{name: text}')).thrown).to.deep.equal({ name: 'string', message: 'just a text' })
    })
  })

  describe('logs', () => {
    it('files are made at the first line only', async () => {
      const quiet = await one('{name: nothing}')
      expect([existsSync(quiet.stdout ?? ''), existsSync(quiet.stderr ?? '')]).to.deep.equal([false, false])
      const loud = await one('{name: says}', 'secrets: [{name: HUSH, provider: env, key: HUSH}]')
      expect(readFileSync(loud.stdout ?? '', 'utf8')).to.match(/^\S+Z info hello \*{7} id=7\n$/)
      expect(readFileSync(loud.stderr ?? '', 'utf8')).to.match(/^\S+Z error careful\n$/)
    })
  })

  describe('an end from outside', () => {
    it('a stop aborts the signal with Stopped', async () => {
      const key = await begin('  - {name: a, executor: {type: function, config: {name: waits}}}')
      await eventually(() => calls.length === 1)
      await engine().stop(key)
      expect((await engine().result(key)).nodes[0]?.node.status).to.equal('canceled')
      expect(calls[0]?.signal.reason).to.have.property('name', 'Stopped')
    })
    it('timeoutSec aborts it with TimedOut, and the step fails with code 124', async () => {
      const { exitCode, status } = await one('{name: waits}', '', 'timeoutSec: 1')
      expect([status, exitCode]).to.deep.equal(['failed', 124])
      expect(calls[0]?.signal.reason).to.have.property('name', 'TimedOut')
    })
    it('a loop that outlives timeoutSec fails its step when it ends, and the logs name the step and the time', async () => {
      const config = '{name: blocks, params: {ms: 1100}}'
      const { status, exitCode, output, run, retryCount } = await one(
        config,
        '',
        'timeoutSec: 1, retryPolicy: {limit: 1, intervalSec: 0}'
      )
      expect([status, exitCode, retryCount, output]).to.deep.equal(['failed', 124, 0, '"too late"'])
      await eventually(() => readFileSync(run.log, 'utf8').includes('WARN'))
      expect(readFileSync(run.log, 'utf8')).to.match(
        /WARN msg="a function held the event loop for at least 1\.\d s, so its timeoutSec of 1 could not end it: .*step=a function=blocks/
      )
      expect((await one('{name: blocks, params: {ms: 1}}', '', 'timeoutSec: 1')).status).to.equal('succeeded')
    })
    it('one that never settles is left after the clean-up time; what it does later is ignored and noted', async () => {
      const key = await begin('  - {name: a, executor: {type: function, config: {name: deaf}}}', 'maxCleanUpTimeSec: 1')
      await eventually(() => calls.length === 1)
      await engine().stop(key)
      const { run, nodes } = await engine().result(key)
      expect([run.status, nodes[0]?.node.status]).to.deep.equal(['canceled', 'canceled'])
      deaf.letGo()
      const said = () => readFileSync(run.log, 'utf8')
      await eventually(() => said().includes('has settled after its step had ended'))
      expect(said()).to.contain('has not ended in its clean-up time, and is left to itself')
      expect(engine().run(key)?.nodes[0]?.node.status).to.equal('canceled')
    })
  })

  it('repeats, with another key in each pass', async () => {
    const { status } = await one('{name: counts}', '', 'repeatPolicy: {repeat: true, limit: 2, intervalSec: 0}')
    expect(status).to.equal('succeeded')
    expect(calls.map(({ idempotencyKey }) => idempotencyKey.split('/').at(-1))).to.deep.equal(['0', '1'])
  })

  describe('definitions', () => {
    it('a step names its function without variables, and has no command', async () => {
      const message = await refusal(
        begin('  - {name: a, command: x, executor: {type: function, config: {name: "$A"}}}')
      )
      expect(message).to.contain('must be the name itself, without variables')
      expect(message).to.contain('a function has params, and no command, args or script')
      expect(await refusal(begin('  - {name: a, executor: function}'))).to.contain('the name of a function is required')
    })
    it('an unknown function refuses the start, and is named', async () => {
      const message = await refusal(begin('  - {name: a, executor: {type: function, config: {name: order/chrage}}}'))
      expect(message).to.contain('step "a" needs the function "order/chrage"')
    })
  })
})

describe('createEngine › functions', () => {
  it('two of one name are refused, and both are named', async () => {
    const twice = [fn('a', () => 1), fn('b', () => 1), fn('a', () => 2)]
    const { code, message } = await createEngine({ temporary: true, functions: twice }).catch((error) => error)
    expect(code).to.equal('bad_request')
    expect(message).to.equal('functions: wanted unique names, found "a" twice: functions[0] and functions[2]')
  })
  it('a name or schema that is none is refused when the function is defined', () => {
    expect(() => fn('a $b', () => 1)).to.throw('defineFunction: name: wanted a text of 1 to 200 characters')
    expect(() => defineFunction({ name: 'a', params: {} as never }, () => 1)).to.throw(
      'wanted a schema that implements Standard Schema'
    )
  })

  it('functions and waits leave no file but the log of the run, and no folder of their own', async () => {
    const home = temporaryFolder()
    const own = await createEngine({ home, functions: [fn('word', () => 'a word')] })
    const key = await own.start({
      name: 'quiet',
      spec: 'steps:\n  - {name: ask, executor: {type: approval}}\n  - {name: say, executor: {type: function, config: {name: word}}}'
    })
    await until('it waits', () => own.waiting()[0])
    await own.signal({ ...key, step: 'ask' }, { approved: true })
    expect((await own.result(key)).run.status).to.equal('succeeded')
    await own.close()
    expect(readdirSync(join(home, 'logs', 'quiet', key.dagRunId))).to.deep.equal(['run.log'])
    expect(existsSync(join(home, 'data', 'work'))).to.equal(false)
  })
})
