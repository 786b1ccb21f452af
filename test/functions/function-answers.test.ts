/** Functions that answer for a step before its first attempt. Source: docs/executors/function.md "Functions that answer for a step". */
import { expect } from 'chai'
import { calls, functionScene } from './scene.ts'

describe('function steps', () => {
  const { engine, begin, run, one, refusal } = functionScene()

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
      const journal = JSON.stringify(await engine().facts.run(run, { actor: `run/${run.name}/${run.dagRunId}/node/a` }))
      expect(journal).to.contain('{"params":{"drawn":1}}')
      expect(calls.filter(({ attempt }) => attempt === undefined)).to.have.length(1)
    })
    it('an answer that holds a secret fails the step, and is stored nowhere', async () => {
      const secrets = 'secrets: [{name: HUSH, provider: env, key: HUSH}]'
      const { status, error } = await one('{name: counts}', secrets, 'functions: {params: order/secret}')
      expect(status).to.equal('failed')
      expect(error).to.contain('the answer holds a secret')
    })
    it('params and items belong to function steps and calls of DAGs', async () => {
      const refused = (place: string) => refusal(begin(`  - {name: a, command: x, functions: {${place}: answers}}`))
      for (const place of ['params', 'items'])
        expect(await refused(place)).to.contain('has an effect on a step of the type function or dag only')
    })
  })
})
