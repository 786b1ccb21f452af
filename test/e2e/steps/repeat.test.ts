/** repeatPolicy with real steps: when there is another pass, and what it sees. Source: execution-semantics 6.2, 3.3.1, 5.4.2, 5.6.8. */
import { expect } from 'chai'
import { type Ended, liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

/** Counts its executions in a file, and prints the number. */
const counting = (file: string) => `echo x >>${file}; wc -l <${file}`

describe('repeatPolicy', () => {
  const live = liveEngine()
  const doneOf = (run: Ended, name: string) => run.node(name).doneCount

  it('true: while the execution succeeded; 6.2.3 the status is that of the last pass', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps: [{name: a, command: '${counting('n')}; [ $(wc -l <n) -lt 3 ]', repeatPolicy: {repeat: true}}]
    `)
    expect(run.node('a')).to.include({ status: 'failed', doneCount: 3, exitCode: 1, retryCount: 0 })
    expect(run.out('a')).to.equal('1\n2\n3\n')
  })

  it('while and until a condition that is a command; a condition alone is while; 6.2.2 limit', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      type: graph
      steps:
        - {name: while, command: echo x >>w, repeatPolicy: {repeat: while, condition: '[ $(wc -l <w) -lt 3 ]'}}
        - {name: until, command: echo x >>u, repeatPolicy: {repeat: until, condition: '[ $(wc -l <u) -ge 2 ]'}}
        - {name: plain, command: echo x >>p, repeatPolicy: {condition: '[ $(wc -l <p) -lt 2 ]'}}
        - {name: limit, command: echo x, repeatPolicy: {repeat: until, condition: 'false', limit: 3}}
    `)
    expect(run.status).to.equal('succeeded')
    expect(['while', 'until', 'plain', 'limit'].map((name) => doneOf(run, name))).to.deep.equal([3, 2, 2, 3])
    expect(run.out('limit')).to.equal('x\nx\nx\n')
  })

  it("6.2.1 condition with expected, evaluated after each pass with the step's own fresh output visible", async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      type: graph
      params: WANTED=3
      steps:
        - name: until
          command: ${counting('u')}
          output: COUNT
          repeatPolicy: {repeat: until, condition: "\${COUNT}", expected: "3"}
        - name: silent
          command: ${counting('s')}
          output: COUNT
          repeatPolicy: {condition: "$COUNT", expected: "re:^[2-9]$"}
        - name: shell
          command: ${counting('h')}
          output: SEEN
          env: {AT_LEAST: "\${WANTED}"}
          repeatPolicy: {repeat: while, condition: '[ "$SEEN" -lt "$AT_LEAST" ]'}
        - name: json
          command: 'echo x >>j; echo "{\\"state\\": \\"s$(wc -l <j)\\"}"'
          output: ANSWER
          repeatPolicy: {repeat: until, condition: "\${ANSWER.state}", expected: s2}
        - name: ticks
          command: echo x >>t
          repeatPolicy: {repeat: until, condition: "\`wc -l <t\`", expected: "2"}
        - {name: after, command: 'echo got \${COUNT}', depends: until}
    `)
    expect(run.status).to.equal('succeeded')
    expect(['until', 'silent', 'shell', 'json', 'ticks'].map((name) => doneOf(run, name))).to.deep.equal([
      3, 2, 3, 2, 2
    ])
    expect(run.node('until').output, '4.5.5 the value of the latest pass').to.equal('3')
    expect(run.out('after')).to.equal('got 3\n')
    expect(run.out('until'), '4.5.1 passes share the log').to.equal('1\n2\n3\n')
  })

  it('5.6.8 a condition that cannot be evaluated does not hold; the run log says why', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: while, command: echo x, repeatPolicy: {repeat: while, condition: "\`exit 3\`", expected: x}}
        - {name: until, command: echo x, repeatPolicy: {repeat: until, condition: "\`exit 3\`", expected: x, limit: 2}}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded'])
    expect([doneOf(run, 'while'), doneOf(run, 'until')]).to.deep.equal([1, 2])
    expect(textOf(run.run.log)).to.match(
      /level=WARN msg="the condition of repeatPolicy does not hold" step=while error=/
    )
  })

  it('while and until an exit code; 6.2.3 until exitCode [7] ending with 7 is failed unless continueOn says otherwise', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      type: graph
      steps:
        - {name: while, command: 'echo x >>w; [ $(wc -l <w) -ge 3 ] || exit 4', repeatPolicy: {repeat: while, exitCode: [3, 4]}}
        - {name: until, command: 'echo x >>u; [ $(wc -l <u) -ge 2 ] || exit 1', repeatPolicy: {repeat: until, exitCode: [0]}}
        - {name: seven, command: 'exit 7', repeatPolicy: {repeat: until, exitCode: [7]}}
        - name: marked
          command: 'exit 7'
          repeatPolicy: {repeat: until, exitCode: [7]}
          continueOn: {exitCode: 7, markSuccess: true}
    `)
    expect(run.node('while')).to.include({ status: 'succeeded', doneCount: 3, exitCode: 0 })
    expect(run.node('until')).to.include({ status: 'succeeded', doneCount: 2 })
    expect(run.node('until')).not.to.have.any.keys('error')
    expect(run.node('seven')).to.include({ status: 'failed', doneCount: 1, exitCode: 7 })
    expect(run.node('marked')).to.include({ status: 'succeeded', doneCount: 1, exitCode: 7 })
  })

  it('6.2.4 retries first, then the repeat decision; the retry budget is per node', async () => {
    const run = await live.run(`
      steps:
        - name: a
          command: echo x; exit 3
          retryPolicy: {limit: 2, intervalSec: 0}
          repeatPolicy: {repeat: while, exitCode: [3], limit: 3}
    `)
    expect(run.node('a')).to.include({ status: 'failed', retryCount: 2, doneCount: 3 })
    expect(run.out('a')).to.equal('x\n'.repeat(5))
  })

  it('3.3.1 command and script are evaluated before every execution', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps:
        - {name: a, command: "echo \`echo x >>n; wc -l <n\`", repeatPolicy: {repeat: true, limit: 3}}
    `)
    expect(run.out('a')).to.equal('1\n2\n3\n')
  })

  it('5.4.2 continueOn.output: a line of an earlier pass counts', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps:
        - name: a
          command: "[ -e again ] && exit 1; touch again; echo early"
          repeatPolicy: {repeat: true}
          continueOn: {output: early, markSuccess: true}
    `)
    expect(run.node('a')).to.include({ status: 'succeeded', doneCount: 2, exitCode: 1 })
  })

  it('a condition sees no output of a pass that captured none', async () => {
    const run = await live.run(`
      maxOutputSize: 10
      steps:
        - name: a
          command: echo far too large for it
          output: OUT
          repeatPolicy: {repeat: until, condition: "[\${OUT}]", expected: "[]", limit: 2}
    `)
    expect(run.node('a')).to.include({ status: 'failed', doneCount: 1 })
  })
})
