/** A retry from a step on. Source: docs/http-api.md "Running again", docs/decisions/runs.md D1791. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { retriedRuns } from '../../support/engine/retried-runs.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

/** What an error says; `accepted`: there was none. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    ({ message }: Error) => message
  )

describe('retry from a step on', () => {
  const { live, marks, failed } = retriedRuns()
  const onward = { includeDownstream: true }

  it('37 of a run that has succeeded: the step and what follows execute, the other branch does not', async () => {
    const folder = temporaryFolder()
    const key = await failed(folder)
    await live.ended(await live.engine.retry(key))
    rmSync(join(folder, 'marks'))
    const after = await live.ended(await live.engine.retry(key, { stepName: 'b', ...onward }))
    expect(marks(folder)).to.deep.equal(['b', 'd 5-out'])
    expect([after.status, ...after.statuses]).to.deep.equal([
      'succeeded',
      'succeeded',
      'succeeded',
      'succeeded',
      'succeeded'
    ])
    expect(after.run.attempt).to.equal(3)
  })

  it('a branch that has failed stays as it is; under another id, too', async () => {
    for (const dagRunId of [undefined, 'from-c']) {
      const folder = temporaryFolder()
      const key = await failed(folder)
      const again = await live.engine.retry(key, { stepName: 'c', ...onward, ...(dagRunId ? { dagRunId } : {}) })
      const after = await live.ended(again)
      expect(marks(folder)).to.deep.equal(['c'])
      expect([after.status, ...after.statuses]).to.deep.equal([
        'failed',
        'succeeded',
        'failed',
        'succeeded',
        'canceled'
      ])
    }
  })

  it('called workflows begin with their first step, and theirs, though they had succeeded; a plain retry keeps them', async () => {
    const folder = temporaryFolder()
    const { run } = await live.run(`
workingDir: ${folder}
steps:
  - {name: a, command: echo a >>marks}
  - {name: b, call: kid, parallel: {items: [x], maxConcurrent: 1}}
---
name: kid
params: ITEM
steps: [echo kid >>marks, {name: deep, call: kidskid}]
---
name: kidskid
workingDir: ${folder}
steps: [echo deep >>${folder}/marks]
`)
    const first = marks(folder)
    await live.ended(await live.engine.retry(run, { stepName: 'b' }))
    expect(marks(folder)).to.deep.equal(first)
    const after = await live.ended(await live.engine.retry(run, { stepName: 'a', ...onward }))
    expect(after.status).to.equal('succeeded')
    expect(marks(folder)).to.deep.equal([...first, ...first])
    expect(live.engine.subRuns(run).map(({ attempt }) => attempt)).to.deep.equal([2, 2])
    await live.ended(await live.engine.retry(run, { stepName: 'b' }))
    expect(marks(folder)).to.have.length(2 * first.length)
  })

  it('is refused without `stepName`, and for a step that is not there; nothing is changed', async () => {
    const folder = temporaryFolder()
    const key = await failed(folder)
    expect(await refusal(live.engine.retry(key, onward))).to.equal(
      'includeDownstream: wanted with stepName, the step that the retry begins with'
    )
    expect(await refusal(live.engine.retry(key, { stepName: 'q', ...onward }))).to.contain('has no step named "q"')
    expect(live.engine.record(key)?.attempt).to.equal(1)
  })

  it('a step whose branch never started leaves what also depends on it alone', async () => {
    const folder = temporaryFolder()
    const { run } = await live.run(`
type: graph
workingDir: ${folder}
steps:
  - {name: a, command: '[ -e ok ]'}
  - {name: b, command: echo b >>marks}
  - {name: c, command: echo c >>marks, depends: [a, b]}
`)
    await live.engine.setNodeStatus({ root: run, step: 'a' }, 'not_started')
    writeFileSync(join(folder, 'ok'), '')
    const after = await live.ended(await live.engine.retry(run, { stepName: 'b', ...onward }))
    expect(marks(folder)).to.deep.equal(['b', 'b'])
    expect(after.statuses).to.deep.equal(['not_started', 'succeeded', 'not_started'])
  })

  it('goes on after the engine was closed in between: the other branch is still left alone', async () => {
    const home = temporaryFolder()
    const folder = temporaryFolder()
    const first = await createEngine({ home, defaultShell: 'sh' })
    const key = await first.start({
      spec: `
name: cut
type: graph
workingDir: ${folder}
steps:
  - {name: b, command: 'echo b >>marks; [ ! -e slow ] || sleep 1'}
  - {name: c, command: echo c >>marks, depends: b}
  - {name: x, command: echo x >>marks; exit 1}
`
    })
    await first.result(key)
    rmSync(join(folder, 'marks'))
    writeFileSync(join(folder, 'slow'), '')
    await first.retry(key, { stepName: 'b', ...onward })
    await eventually('the step', () => existsSync(join(folder, 'marks')) || undefined)
    await first.close()
    const next = await createEngine({ home, defaultShell: 'sh' })
    const { run, nodes } = await next.result(key)
    await next.close()
    expect(marks(folder)).to.deep.equal(['b', 'c'])
    expect([run.status, ...nodes.map(({ node }) => node.status)]).to.deep.equal([
      'failed',
      'succeeded',
      'succeeded',
      'failed'
    ])
  })
})
