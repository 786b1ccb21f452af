/** When a run goes on past a step that failed or was skipped. Source: execution-semantics 5.4. */
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('continueOn', () => {
  const live = liveEngine()
  /** A step that fails with `continueOn`, and one that depends on it. */
  const pair = (name: string, continueOn: string, command = 'echo out line; echo err line >&2; exit 3') => `
        - {name: ${name}, command: '${command}', continueOn: ${continueOn}}
        - {name: after ${name}, depends: ${name}, command: echo yes}`

  it('5.4 failure, exitCode, output (text and re:), any match suffices; stderr is not searched', async () => {
    const run = await live.run(`
      type: graph
      steps:${[
        pair('failure', '{failure: true}'),
        pair('code', '{exitCode: [2, 3]}'),
        pair('single code', '{exitCode: "3"}'),
        pair('other code', '{exitCode: [0, 4]}'),
        pair('text', '{output: t li}'),
        pair('list', '{output: [nothing, "re:^out +l"]}'),
        pair('anchored', '{output: ["re:^line", "re:out$"]}'),
        pair('stderr', '{output: err}'),
        pair('either', '{exitCode: 9, output: out}'),
        pair('nothing', '{skipped: true, markSuccess: true}')
      ].join('')}
    `)
    const continued = run.nodes.filter(({ node }) => node.continues).map(({ step }) => step.name)
    const released = run.nodes.filter(({ node }) => node.status === 'succeeded').map(({ step }) => step.name)
    expect(continued).to.deep.equal(['failure', 'code', 'single code', 'text', 'list', 'either'])
    expect(released).to.deep.equal(continued.map((name) => `after ${name}`))
    expect(run.status, 'a failed node without a match').to.equal('failed')
  })

  it('5.4 skipped: true releases the dependents of a skipped step', async () => {
    const run = await live.run(`
      steps:
        - {name: skipped, command: echo no, preconditions: ["false"], continueOn: {skipped: true}}
        - {name: next, command: echo yes}
    `)
    expect(run.statuses).to.deep.equal(['skipped', 'succeeded'])
    expect(run.status).to.equal('succeeded')
  })

  it('5.4 markSuccess: nothing by itself; with a failure match the node becomes succeeded, its error text is kept; all marked: succeeded', async () => {
    const run = await live.run(`
      steps:
        - {name: marked, command: exit 3, continueOn: {exitCode: 3, markSuccess: true}}
        - {name: next, command: echo yes}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded'])
    expect(run.node('marked')).to.include({ exitCode: 3, error: 'failed to execute step "marked": exit status 3' })
    expect(run.status).to.equal('succeeded')
    const alone = await live.run('steps: [{name: alone, command: exit 3, continueOn: {markSuccess: true}}]')
    expect(alone.statuses).to.deep.equal(['failed'])
  })

  it('5.4.2 output searches the log of all attempts of this run; 5.4.3 markSuccess after refused retries', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      type: graph
      steps:
        - name: first attempt
          command: '[ -e tried ] || echo needle; touch tried; exit 3'
          retryPolicy: {limit: 1}
          continueOn: {output: needle}
        - name: refused retry
          command: exit 3
          retryPolicy: {limit: 5, exitCodes: [4]}
          continueOn: {failure: true, markSuccess: true}
    `)
    expect(run.node('first attempt')).to.include({ status: 'failed', retryCount: 1, continues: true })
    expect(run.node('refused retry')).to.include({ status: 'succeeded', retryCount: 0 })
  })
})
