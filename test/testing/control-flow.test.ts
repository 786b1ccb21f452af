/** Control flow of DAGs in code: what a step and a handler know of failures. Source: docs/embedding/flow.md. */
import { expect } from 'chai'
import { z } from 'zod'
import { defineDag } from '../../src/builder/define-dag.ts'
import { exits, later } from '../../src/testing/index.ts'
import { failing, withEngine } from '../support/testing/with-engine.ts'

describe('control flow › errors', () => {
  it('a step that runs after a failure has null as the result, and in errors the name, message, code and step of what failed', () => {
    const read: unknown[] = []
    const dag = defineDag({ name: 'caught' }, (d) => {
      const bad = d.step('bad', { continueOn: { failure: true } }, failing('no credit', 'E_CREDIT'))
      const good = d.step('good', { continueOn: { failure: true } }, () => 1)
      const late = d.approval('late', { timeoutSec: 1, continueOn: { failure: true } })
      const after = d.step('after', { depends: [bad, good, late] }, ({ results, errors }) => {
        read.push({ ...results }, errors)
        return errors.bad?.code ?? null
      })
      const refund = d.step(
        'refund',
        { depends: [bad], preconditions: ({ errors }) => errors.bad?.code === 'E_CREDIT' },
        () => 'refunded'
      )
      return { after, refund }
    })
    return withEngine([dag], async (engine) => {
      for (const step of ['bad', 'good', 'after', 'refund'] as const) engine.passThrough(`caught/${step}`)
      const run = await engine.start(dag, {})
      await engine.advance('2s')
      expect(await run.result()).to.deep.equal({ after: 'E_CREDIT', refund: 'refunded' })
      expect(read).to.deep.equal([
        { bad: null, good: 1, late: null },
        {
          bad: { step: 'bad', name: 'RangeError', message: 'no credit', code: 'E_CREDIT' },
          late: { step: 'late', name: 'StepFailed', message: 'step timed out: no approval came within 1s' }
        }
      ])
    })
  })
  it('of a command that failed, code is its exit code', () => {
    const dag = defineDag({ name: 'command' }, (d) => {
      const bad = d.shell('bad', 'exit 3', { continueOn: { failure: true } })
      return d.step('after', { depends: [bad] }, ({ errors }) => errors.bad ?? null)
    })
    return withEngine([dag], async (engine) => {
      engine.mock('command/bad', exits(3))
      engine.passThrough('command/after')
      const run = await engine.start(dag, {})
      await engine.idle()
      expect(await run.result()).to.deep.equal({
        step: 'bad',
        name: 'StepFailed',
        message: 'failed to execute step "bad": exit status 3',
        code: '3'
      })
    })
  })
})

describe('control flow › handlers', () => {
  const seen: unknown[] = []
  const saga = defineDag({ name: 'saga', params: z.object({ id: z.string() }) }, (d) => {
    const charged = d.step('charge', {}, ({ params }) => ({ receipt: `R-${params.id}` }))
    const shipped = d.step('ship', { depends: [charged] }, failing('no parcel', 'E_PARCEL'))
    d.handler(
      'failure',
      { reads: [charged, shipped], retryPolicy: { limit: 1, intervalSec: 1 } },
      ({ params, results, errors, run, attempt, idempotencyKey }) => {
        if (attempt === 1) throw new Error('the bank is busy')
        seen.push([params.id, results.charge?.receipt, results.ship, errors, run.status, idempotencyKey])
        return { refunded: results.charge?.receipt ?? null }
      }
    )
    d.handler('exit', { preconditions: ({ errors }) => Object.keys(errors).length === 0 }, () => 'never')
    return charged
  })
  it('a handler in code has the params, the results of the steps that it reads, what has failed, and how the run has ended', () =>
    withEngine([saga], async (engine) => {
      for (const step of ['charge', 'ship', 'onFailure'] as const) engine.passThrough(`saga/${step}`)
      const run = await engine.start(saga, { id: '7' }, { dagRunId: 'one' })
      await engine.advance('2s')
      expect(seen).to.deep.equal([
        [
          '7',
          'R-7',
          null,
          { ship: { step: 'ship', name: 'RangeError', message: 'no parcel', code: 'E_PARCEL' } },
          'failed',
          'saga/one/onFailure/0'
        ]
      ])
      const { run: record, handlers } = run.view()
      expect(record.status).to.equal('failed')
      expect(handlers.onFailure?.node).to.include({ status: 'succeeded', output: '{"refunded":"R-7"}' })
      expect(handlers.onExit?.node.status).to.equal('skipped')
    }))
  it('it is called again after a crash, and a run that was stopped has the handler for that', () => {
    const dag = defineDag({ name: 'stopped' }, (d) => {
      const done = d.step('done', {}, () => 1)
      d.approval('ask', { depends: [done] })
      d.handler('cancel', { reads: [done] }, ({ results }) => results.done ?? 0)
    })
    return withEngine([dag], async (engine) => {
      engine.passThrough('stopped/done')
      engine.mock('stopped/onCancel', [later('1h', 1), 2])
      const run = await engine.start(dag, {}, { dagRunId: 'one' })
      await engine.idle()
      await run.stop()
      await engine.advance('1m')
      await engine.crash()
      await engine.untilEnded(run)
      const { run: record, handlers } = engine.handle(dag, 'one').view()
      expect([record.status, handlers.onCancel?.node.output]).to.deep.equal(['canceled', '2'])
      expect(engine.calls('stopped/onCancel').map(({ attempt }) => attempt)).to.deep.equal([1, 2])
    })
  })
  it('it is a handler of the text, beside those of the fields', () => {
    const dag = defineDag({ name: 'both', handlerOn: { exit: { command: 'echo bye' } } }, (d) => {
      d.handler('success', { description: 'tells', timeoutSec: 5 }, () => null)
      return d.step('a', {}, () => 1)
    })
    expect(dag.toYaml()).to.contain(
      'handlerOn:\n  exit:\n    command: echo bye\n  success:\n    executor:\n      type: function\n      config:\n        name: both/onSuccess\n    description: tells\n    timeoutSec: 5\n'
    )
  })
})
