/** repeatPolicy with real steps. Source: execution-semantics 6.2, 7.1.4, 7.3.5, 3.3.1, 4.5. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { type Ended, liveEngine, textOf } from '../support/live.ts'
import { eventually, WHEN_BUSY } from '../support/waiting.ts'

/** Distances between the instants that a step wrote, in seconds with one digit. */
function waitsOf(run: Ended, name: string): number[] {
  const at = run.out(name).trim().split('\n').map(Number)
  return at.slice(1).map((time, index) => Math.round((time - (at[index] ?? 0)) / 100) / 10)
}
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

  it('6.2.5 wait before pass n+1: interval, or interval * backoff^(n-1) cut to maxIntervalSec', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: growing, command: date +%s%3N, repeatPolicy: {repeat: true, limit: 3, intervalSec: 1, backoff: 2}}
        - {name: cut, command: date +%s%3N, repeatPolicy: {repeat: true, limit: 3, intervalSec: 1, backoff: 2, maxIntervalSec: 1}}
    `)
    const [first = 0, second = 0] = waitsOf(run, 'growing')
    expect(first).to.be.within(1, 1.7)
    expect(second).to.be.within(2, 2.7)
    for (const wait of waitsOf(run, 'cut')) expect(wait).to.be.within(1, 1.7)
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

  it('7.1.4 timeoutSec is per pass; a pass that times out is one that failed with code 124', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps:
        - name: a
          command: "[ -e again ] || { touch again; exec sleep 60; }"
          timeoutSec: 1
          repeatPolicy: {repeat: while, exitCode: [124]}
    `)
    expect(run.node('a')).to.include({ status: 'succeeded', doneCount: 2, exitCode: 0 })
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

  it('6.2.6 running during waits, no end shown; a wait occupies a maxActiveSteps slot; no record of each pass is left behind', async () => {
    const folder = temporaryFolder()
    const key = await live.start(`
      workingDir: ${folder}
      type: graph
      maxActiveSteps: 1
      steps:
        - {name: loop, command: 'echo x; [ ! -e pause ]', repeatPolicy: {repeat: true}}
        - {name: other, command: echo no}
    `)
    const nodeAt = (done: number) =>
      eventually(`${done} passes`, () => {
        const node = live.engine.run(key)?.nodes[0]?.node
        return (node?.doneCount ?? 0) >= done ? node : undefined
      })
    const early = await nodeAt(3)
    const later = await nodeAt(25)
    expect(later).to.include({ status: 'running', startedAt: early.startedAt })
    expect(later).not.to.have.any.keys('finishedAt')
    expect(live.engine.run(key)?.nodes[1]?.node.status).to.equal('not_started')
    const records = readdirSync(dirname(later.stdout ?? '')).filter((file) => file.endsWith('.state'))
    expect(records.length, records.join()).to.be.at.most(4)
    writeFileSync(join(folder, 'pause'), '')
    const run = await live.ended(key)
    expect(run.statuses).to.deep.equal(['failed', 'succeeded'])
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

describe('7.3.5 stop of a repeating step', () => {
  const live = liveEngine()
  const waiting = (key: Parameters<typeof live.ended>[0]) =>
    eventually('the wait', () => (live.engine.run(key)?.nodes[0]?.node.doneCount === 1 ? true : undefined))

  it('in a pass: it is not signalled and finishes it; succeeded, and so is the run when nothing else was to come', async () => {
    const folder = temporaryFolder()
    const key = await live.start(`
      workingDir: ${folder}
      steps:
        - name: a
          command: 'trap "echo signalled" TERM; touch begun; while [ ! -e go ]; do sleep 0.05; done; echo whole'
          repeatPolicy: {repeat: true}
    `)
    await eventually('the pass', () => existsSync(join(folder, 'begun')) || undefined)
    await live.engine.stop(key)
    const node = live.engine.run(key)?.nodes[0]?.node
    expect(node?.status).to.equal('running')
    writeFileSync(join(folder, 'go'), '')
    const run = await live.ended(key)
    expect(run.out('a')).to.equal('whole\n')
    expect(run.node('a')).to.include({ status: 'succeeded', doneCount: 1 })
    expect(run.status).to.equal('succeeded')
  })

  it('in the wait: it is cut short; the last pass decides, 5.5 rule 1 decides for the run', async function () {
    this.retries(WHEN_BUSY)
    const well = await live.start(`
      steps: [{name: a, command: echo x, repeatPolicy: {repeat: true, intervalSec: 600}}]
    `)
    await waiting(well)
    const before = Date.now()
    await live.engine.stop(well)
    const run = await live.ended(well)
    expect(Date.now() - before).to.be.below(1_000)
    expect([run.status, ...run.statuses]).to.deep.equal(['succeeded', 'succeeded'])
    const badly = await live.start(`
      steps:
        - {name: a, command: exit 3, repeatPolicy: {repeat: until, exitCode: [0], intervalSec: 600}}
        - {name: b, command: echo x}
    `)
    await waiting(badly)
    await live.engine.stop(badly)
    const failed = await live.ended(badly)
    expect([failed.status, ...failed.statuses]).to.deep.equal(['canceled', 'failed', 'not_started'])
  })

  it('after maxCleanUpTimeSec it is killed like others', async function () {
    this.retries(WHEN_BUSY)
    const folder = temporaryFolder()
    const key = await live.start(`
      workingDir: ${folder}
      maxCleanUpTimeSec: 1
      steps: [{name: a, command: touch begun; sleep 60, repeatPolicy: {repeat: true}}]
    `)
    await eventually('the pass', () => existsSync(join(folder, 'begun')) || undefined)
    const before = Date.now()
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(Date.now() - before).to.be.within(1_000, 2_500)
    expect(run.node('a')).to.include({ status: 'canceled', error: 'signal: killed', doneCount: 0 })
    expect(run.status).to.equal('canceled')
  })

  it('7.1.1 a run timeout ends a pass and a wait like any other node', async () => {
    const run = await live.run(`
      type: graph
      timeoutSec: 1
      steps:
        - {name: pass, command: exec sleep 60, repeatPolicy: {repeat: true}}
        - {name: wait, command: echo x, repeatPolicy: {repeat: true, intervalSec: 600}}
    `)
    expect([run.status, ...run.statuses]).to.deep.equal(['failed', 'canceled', 'canceled'])
    expect(run.node('pass').error).to.equal('signal: terminated')
  })
})
