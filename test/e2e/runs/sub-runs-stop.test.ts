/** What ends a sub DAG run before its time. Source: execution-semantics 9.5.5-9.5.7. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { calledBench } from '../../support/engine/called.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('sub workflows › call', () => {
  const { live, subOf } = calledBench()

  it('9.5.5 runs its cancel and exit handlers when its steps have to be killed too, below another sub run as well', async () => {
    const folder = temporaryFolder()
    const key = await live.start(`
workingDir: ${folder}
maxCleanUpTimeSec: 1
steps: [{name: a, call: middle}]
---
name: middle
maxCleanUpTimeSec: 1
handlerOn: {cancel: echo middle cancel >>order, exit: echo middle exit >>order}
steps: [{name: b, call: stubborn}]
---
name: stubborn
maxCleanUpTimeSec: 1
handlerOn: {cancel: echo cancel >>order, exit: echo exit >>order}
steps: [{name: s, script: "trap '' TERM; touch began; while :; do sleep 0.1; done"}]
`)
    await eventually('the sub run at work', () => existsSync(join(folder, 'began')) || undefined)
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect([run.status, subOf(run, 'a').status]).to.deep.equal(['canceled', 'canceled'])
    expect(readFileSync(join(folder, 'order'), 'utf8')).to.equal('cancel\nexit\nmiddle cancel\nmiddle exit\n')
  })
  it('9.5.6 a sub run cannot be stopped or retried on its own', async () => {
    const run = await live.run(`steps: [{name: a, call: kid}]\n---\nname: kid\nsteps: ["true"]`)
    const { run: sub } = subOf(run, 'a')
    const attempts = { stop: () => live.engine.stop(sub), retry: () => live.engine.retry(sub) }
    for (const [word, attempt] of Object.entries(attempts)) {
      const error = await attempt().catch((error: { code: string; message: string }) => error)
      expect(error).to.include({
        code: 'not_found',
        message: `run ${sub.dagRunId} of ${sub.name} is a sub DAG run: ${word} the run that called it`
      })
    }
  })
})
