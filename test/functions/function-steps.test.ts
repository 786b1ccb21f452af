/** Function steps in an engine of their own process. Source: docs/executors/function.md, design "Semantics" 1 to 4. */
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import * as v from 'valibot'
import { z } from 'zod'
import { type Call, createEngine, defineFunction, type Engine, type Fn, NonRetryable } from '../../src/index.ts'

type Made = Fn<unknown, unknown>
const any = z.any()
/** What each function was called with. */
const calls: Call<unknown>[] = []
const fn = (name: string, run: (call: Call<Record<string, unknown>>) => unknown): Made =>
  defineFunction({ name, params: any }, (call) => {
    calls.push(call)
    return run(call) as null
  })
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
let letGo = () => {}
function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const functions: Made[] = [
  defineFunction({ name: 'order/charge', params: z.object({ amount: z.coerce.number().positive() }) }, (call) => {
    calls.push(call as Call<unknown>)
    return { receipt: `r${call.params.amount}`, secret: 'hush-hush' }
  }),
  defineFunction({ name: 'valid', params: v.object({ word: v.string() }) }, ({ params }) => params.word),
  defineFunction({ name: 'later', params: z.object({ id: z.string().refine(async (id) => id === 'a') }) }, () => 'ok'),
  defineFunction(
    {
      name: 'broken schema',
      params: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate() {
            throw new TypeError('the schema is broken')
          }
        }
      } as never
    },
    () => 1
  ),
  fn('results', ({ results }) => ({ ...results })),
  fn('same', ({ params }) => params.value),
  fn('busy', ({ attempt }) => {
    if (attempt < 3) throw Object.assign(new RangeError('busy', { cause: new Error('net') }), { code: 'EBUSY' })
    return attempt
  }),
  fn('hopeless', () => {
    throw new NonRetryable('no such card hush-hush')
  }),
  fn('text', () => {
    throw 'just a text'
  }),
  fn('date', () => ({ list: [1, { when: new Date(0) }] })),
  fn('large', ({ params }) => 'x'.repeat(Number(params.length))),
  fn('nothing', () => undefined),
  fn('says', ({ log }) => {
    log.info('hello hush-hush', { id: 7 })
    log.error('careful')
  }),
  fn('waits', ({ signal }) => never(signal)),
  fn('deaf', () => {
    const { promise, resolve } = deferred()
    letGo = resolve
    return promise
  }),
  fn('counts', () => 0),
  fn('yes', () => true),
  fn('no', () => false),
  fn('order/label#env', ({ results }) => ({ LABEL: `for ${Object(results).charge.receipt}` })),
  fn('order/secret', () => ({ card: 'hush-hush' })),
  fn('answers', () => ({ drawn: calls.filter(({ attempt }) => attempt === undefined).length }))
]

describe('function steps', () => {
  let engine: Engine
  before(async () => {
    process.env.HUSH = 'hush-hush'
    engine = await createEngine({ temporary: true, functions })
  })
  after(async () => {
    delete process.env.HUSH
    await engine.close()
  })
  beforeEach(() => void calls.splice(0))
  let runs = 0
  const begin = (steps: string, besides = '') =>
    engine.start({ name: `fn${++runs}`, spec: `${besides}\ntype: graph\nsteps:\n${steps}` })
  const run = async (steps: string, besides = '') => engine.result(await begin(steps, besides))
  const one = async (config: string, besides = '', also = '') => {
    const view = await run(`  - {name: a, executor: {type: function, config: ${config}}, ${also}}`, besides)
    const [node] = view.nodes
    if (!node) throw new Error('there is no node')
    return { ...node.node, run: view.run }
  }
  const refusal = (asked: Promise<unknown>) => asked.then(String, (error: Error) => error.message)
  const eventually = async (ready: () => boolean) => {
    while (!ready()) await new Promise((resolve) => setImmediate(resolve))
  }

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
      expect(engine.runs({ nameContains: `fn${runs}` })).to.deep.equal([])
    })
    it('that a schema refuses at the step fail it, and are not tried again', async () => {
      const retries = 'retryPolicy: {limit: 3, intervalSec: 0}'
      const bad = await one('{name: order/charge, params: {amount: "${AMOUNT}"}}', 'params: {AMOUNT: x}', retries)
      expect([bad.status, bad.retryCount, bad.thrown?.name]).to.deep.equal(['failed', 0, 'InvalidParams'])
      const late = await one('{name: later, params: {id: b}}', '', retries)
      expect([late.status, late.thrown?.name]).to.deep.equal(['failed', 'InvalidParams'])
      expect((await one('{name: later, params: {id: a}}')).status).to.equal('succeeded')
    })
    it('a schema that throws when the step runs is an error of the attempt', async () => {
      const { thrown } = await one('{name: broken schema, params: {a: "${A}"}}', 'params: {A: 1}')
      expect(thrown).to.deep.include({ name: 'TypeError', message: 'the schema is broken' })
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
        message: 'result.list[1].when: wanted JSON, found an instance of Date'
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
      await engine.stop(key)
      expect((await engine.result(key)).nodes[0]?.node.status).to.equal('canceled')
      expect(calls[0]?.signal.reason).to.have.property('name', 'Stopped')
    })
    it('timeoutSec aborts it with TimedOut, and the step fails with code 124', async () => {
      const { exitCode, status } = await one('{name: waits}', '', 'timeoutSec: 1')
      expect([status, exitCode]).to.deep.equal(['failed', 124])
      expect(calls[0]?.signal.reason).to.have.property('name', 'TimedOut')
    })
    it('one that never settles is left after the clean-up time; what it does later is ignored and noted', async () => {
      const key = await begin('  - {name: a, executor: {type: function, config: {name: deaf}}}', 'maxCleanUpTimeSec: 1')
      await eventually(() => calls.length === 1)
      await engine.stop(key)
      const { run, nodes } = await engine.result(key)
      expect([run.status, nodes[0]?.node.status]).to.deep.equal(['canceled', 'canceled'])
      letGo()
      const said = () => readFileSync(run.log, 'utf8')
      await eventually(() => said().includes('has settled after its step had ended'))
      expect(said()).to.contain('has not ended in its clean-up time, and is left to itself')
      expect(engine.run(key)?.nodes[0]?.node.status).to.equal('canceled')
    })
  })

  describe('functions that answer for a step', () => {
    it('preconditions: true runs it, false skips it, anything else fails it', async () => {
      const asked = (name: string) => one('{name: counts}', '', `functions: {preconditions: ${name}}`)
      expect((await asked('yes')).status).to.equal('succeeded')
      const { status, error } = await asked('no')
      expect([status, error]).to.deep.equal(['skipped', 'the function "no" said no'])
      const odd = await asked('nothing')
      expect(odd.error).to.equal('the function "nothing" gave no answer: TypeError: wanted true or false, found null')
      expect([odd.status, odd.thrown?.name]).to.deep.equal(['failed', 'TypeError'])
      expect((await asked('hopeless')).thrown).to.include({ name: 'NonRetryable' })
    })
    it('env: its texts are variables of any step', async () => {
      const { nodes } = await run(`
  - {name: charge, executor: {type: function, config: {name: order/charge, params: {amount: 3}}}}
  - {name: label, depends: charge, command: 'echo "$LABEL"', output: OUT, functions: {env: order/label#env}}`)
      expect(nodes[1]?.node.output).to.equal('for r3')
    })
    it('params: they are asked for once, whatever number of attempts follows, and the journal has them', async () => {
      const { run } = await one(
        '{name: busy}',
        '',
        'functions: {params: answers}, retryPolicy: {limit: 2, intervalSec: 0}'
      )
      expect(calls.filter(({ attempt }) => attempt === undefined)).to.have.length(1)
      expect(calls.flatMap(({ attempt, params }) => (attempt ? [params] : []))).to.deep.equal(
        Array.from({ length: 3 }, () => ({ drawn: 1 }))
      )
      const journal = JSON.stringify(await engine.facts.run(run, { actor: `run/${run.name}/${run.dagRunId}/node/a` }))
      expect(journal).to.contain('{"params":{"drawn":1}}')
      expect(calls.filter(({ attempt }) => attempt === undefined)).to.have.length(1)
    })
    it('an answer that holds a secret fails the step, and is stored nowhere', async () => {
      const secrets = 'secrets: [{name: HUSH, provider: env, key: HUSH}]'
      const { status, error } = await one('{name: counts}', secrets, 'functions: {params: order/secret}')
      expect(status).to.equal('failed')
      expect(error).to.contain('the answer holds a secret')
    })
    it('params and items belong to function steps', async () => {
      expect(await refusal(begin('  - {name: a, command: x, functions: {params: answers}}'))).to.contain(
        'has an effect on a step of the type function only'
      )
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
})
