/** Which node and run ends how. Source: execution-semantics 1.3, 1.4, 5.2, 5.5. */
import { statSync } from 'node:fs'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'

describe('node statuses', () => {
  const live = liveEngine()

  it('5.2 a dependency is failed and may not continue: canceled, upstream failed, no log files, no startedAt', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: fails, command: exit 3}
        - {name: next, depends: fails, command: echo no}
        - {name: after next, depends: next, command: echo no}
        - {name: apart, command: echo yes}
    `)
    expect(run.statuses).to.deep.equal(['failed', 'canceled', 'canceled', 'succeeded'])
    expect([run.node('next').error, run.node('after next').error]).to.deep.equal([
      'upstream failed',
      'upstream canceled'
    ])
    for (const name of ['next', 'after next'])
      expect(run.node(name)).not.to.have.any.keys('startedAt', 'stdout', 'stderr', 'finishedAt')
    expect(run.status).to.equal('failed')
    expect(run.node('fails')).to.include({ exitCode: 3, doneCount: 1, retryCount: 0 })
    expect(run.node('apart')).to.include({ exitCode: 0, doneCount: 1 }).and.have.any.keys('startedAt')
  })

  it('5.2 precondition not met: skipped, log files exist and are empty, finishedAt set, error empty; a dependent is skipped: upstream skipped', async () => {
    const run = await live.run(`
      steps:
        - {name: skipped, command: echo no, preconditions: ["false"]}
        - {name: next, command: echo no}
        - {name: after next, command: echo no}
    `)
    expect(run.statuses).to.deep.equal(['skipped', 'skipped', 'skipped'])
    expect(run.status, 'all nodes skipped: succeeded').to.equal('succeeded')
    const node = run.node('skipped')
    expect(node).to.have.any.keys('startedAt').and.have.any.keys('finishedAt')
    expect(node).not.to.have.property('error')
    expect([node.stdout, node.stderr].map((path) => statSync(path ?? '').size)).to.deep.equal([0, 0])
    for (const name of ['next', 'after next'])
      expect(run.node(name)).to.include({ error: 'upstream skipped' }).and.not.have.any.keys('startedAt')
  })
})

describe('run status at the end', () => {})
