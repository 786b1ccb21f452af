/** Steps outlive the engine: kill -9 in the middle of a run. Source: architecture 4, 5; reliability P1, P4, P8, P9. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { identityOf, isAlive } from '../../src/process-identity.ts'
import { commit } from '../../src/store/commit.ts'
import { openStore } from '../../src/store/open.ts'
import { entriesIn } from '../../src/store/write-ahead.ts'
import { temporaryFolder } from '../support/homes.ts'
import { killedAfter, marksIn } from '../support/killed-engine.ts'
import { gone } from '../support/processes.ts'
import { eventually, WHEN_BUSY } from '../support/waiting.ts'

/** The steps of a run whose log folder somebody removes. */
const withoutLogs = (home: string) => `
name: removed
type: graph
steps:
  - {name: lives, command: 'echo lives >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done; exit 7'}
  - {name: ended, command: 'echo ended $$ >>${home}/marks; while [ ! -e ${home}/over ]; do sleep 0.05; done'}
  - {name: wanted, command: 'echo wanted >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done', output: OUT}
`

/** Two of five items end at once, two wait, one is not begun. */
const parallelCall = (home: string) => `
name: outer
steps: [{name: p, call: inner, parallel: {items: [a, b, c, d, e], maxConcurrent: 2}, params: "I=\${ITEM}"}]
---
name: inner
params: I=x
steps:
  - command: 'echo $I >>${home}/marks; case $I in c|d) while [ ! -e ${home}/go ]; do sleep 0.05; done;; esac; echo $I'
    output: OUT
`

const fiveSteps = (home: string) => `
name: five
steps:
  - name: one
    command: echo one >>${home}/marks
  - name: two
    command: echo two >>${home}/marks
  - name: three
    script: |
      echo three $$ >>${home}/marks
      echo before
      while [ ! -e ${home}/go ]; do sleep 0.05; done
      echo after
      exit 7
    output: THREE
    continueOn:
      exitCode: 7
      markSuccess: true
  - name: four
    command: echo "four \${THREE}" >>${home}/marks
  - name: five
    command: echo five >>${home}/marks
`

const stoppedCall = (home: string) => `
name: outer
steps: [{name: c, call: inner}]
---
name: inner
handlerOn:
  cancel: 'echo $DAG_RUN_STATUS >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done; echo went on >>${home}/marks'
  exit: echo exit >>${home}/marks
steps: ['echo step >>${home}/marks; exec sleep 60']
`

const secretCall = (home: string, secret: string) => `
name: outer
steps: [{name: c, call: inner}]
---
name: inner
secrets: [{name: TOKEN, provider: file, key: ${secret}}]
steps: ['echo step >>${home}/marks; exec sleep 60']
`

/** The leader of its group ends when it is told, another member does not. */
const stubbornGroup = (home: string, end: string) => `
name: stubborn
maxCleanUpTimeSec: 3
steps:
  - name: a
    ${end}
    script: |
      echo $$ >>${home}/marks
      sh -c "trap '' TERM; echo \\$\\$ >>${home}/marks; while :; do sleep 0.1; done" &
      wait
`

const checkedStep = (home: string) => `
name: checked
steps:
  - {name: a, command: "true", preconditions: 'echo $$ >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done'}
`

describe('kill -9 of the engine in the middle of a 5-step run, start again', () => {
  it('the running step was not disturbed, its true exit code is recorded, the run ends succeeded, no step ran twice', async () => {
    const home = temporaryFolder()
    await killedAfter(home, fiveSteps(home), 3)
    const pid = Number(marksIn(home)[2]?.split(' ')[1])
    const before = identityOf(pid)
    expect(before && isAlive(before), 'the step lives on').to.equal(true)
    const engine = await createEngine({ home })
    try {
      expect(engine.record({ name: 'five', dagRunId: 'r1' })).to.include({ status: 'running' })
      writeFileSync(join(home, 'go'), '')
      const { run, nodes } = await engine.result({ name: 'five', dagRunId: 'r1' })
      expect(run.status).to.equal('succeeded')
      expect(nodes.map(({ node }) => node.exitCode)).to.deep.equal([0, 0, 7, 0, 0])
      expect(nodes[2]?.node.output).to.equal('before\nafter')
      expect(marksIn(home)).to.deep.equal(['one', 'two', `three ${pid}`, 'four before', 'after', 'five'])
    } finally {
      await engine.close()
    }
  })

  it('a step that finished while the engine was down is recorded with its true exit code and its true end time', async function () {
    this.retries(WHEN_BUSY)
    const home = temporaryFolder()
    await killedAfter(home, fiveSteps(home), 3)
    const pid = Number(marksIn(home)[2]?.split(' ')[1])
    writeFileSync(join(home, 'go'), '')
    await eventually('the end of the step', () => (identityOf(pid) ? undefined : true))
    const endedBy = Date.now()
    await new Promise((resolve) => setTimeout(resolve, 300))
    const engine = await createEngine({ home })
    try {
      const { run, nodes } = await engine.result({ name: 'five', dagRunId: 'r1' })
      expect(run.status).to.equal('succeeded')
      expect(nodes[2]?.node).to.include({ exitCode: 7 })
      expect(nodes[2]?.node.finishedAt).to.be.at.most(endedBy + 100)
    } finally {
      await engine.close()
    }
  })

  it('P9 a step that ended in time while the engine was down keeps its end, although its time limit or the run’s is over since', async () => {
    for (const [limit, expected] of [
      ['', 'succeeded succeeded succeeded'],
      ['timeoutSec: 2', 'failed succeeded canceled']
    ] as const) {
      const home = temporaryFolder()
      const command = `'echo a >>${home}/marks; sleep 0.5; echo out'`
      const ofStep = limit === '' ? 'timeoutSec: 2, ' : ''
      const steps = `[{name: a, ${ofStep}command: ${command}, output: OUT}, {name: b, command: 'true'}]`
      await killedAfter(home, `name: timed\n${limit}\nsteps: ${steps}`, 1)
      await new Promise((resolve) => setTimeout(resolve, 2_500)) // nobody is there
      const engine = await createEngine({ home })
      try {
        const { run, nodes } = await engine.result({ name: 'timed', dagRunId: 'r1' })
        expect([run.status, ...nodes.map(({ node }) => node.status)].join(' ')).to.equal(expected)
        expect(nodes[0]?.node).to.include({ exitCode: 0, output: 'out' })
      } finally {
        await engine.close()
      }
    }
  })

  it('13.5.3 the log folder was removed with the records in it: what lives is adopted, what has ended is unknown, no step runs twice', async () => {
    const home = temporaryFolder()
    await killedAfter(home, withoutLogs(home), 3)
    const pid = Number(
      marksIn(home)
        .find((mark) => mark.startsWith('ended'))
        ?.split(' ')[1]
    )
    rmSync(join(home, 'logs'), { recursive: true })
    writeFileSync(join(home, 'over'), '')
    await eventually('the end of the step', () => (identityOf(pid) ? undefined : true))
    const engine = await createEngine({ home })
    try {
      writeFileSync(join(home, 'go'), '')
      const { run, nodes } = await engine.result({ name: 'removed', dagRunId: 'r1' })
      expect(run.status).to.equal('failed')
      const unknown = 'interrupted: outcome unknown: '
      expect(nodes.map(({ node }) => node.error)).to.deep.equal([
        'failed to execute step "lives": exit status 7',
        `${unknown}its log folder was removed, and the record of it with that`,
        `${unknown}its output is gone with its log folder`
      ])
      expect(marksIn(home).map((mark) => mark.split(' ')[0])).to.have.members(['lives', 'ended', 'wanted'])
    } finally {
      await engine.close()
    }
  })

  it('9.5 kill -9 in the middle of a parallel call: running sub runs go on, finished ones are kept, no step runs twice, the result is whole', async () => {
    const home = temporaryFolder()
    await killedAfter(home, parallelCall(home), 4)
    const engine = await createEngine({ home })
    try {
      writeFileSync(join(home, 'go'), '')
      const { run, nodes } = await engine.result({ name: 'outer', dagRunId: 'r1' })
      expect(run.status).to.equal('succeeded')
      const { summary, results } = JSON.parse(readFileSync(nodes[0]?.node.stdout ?? '', 'utf8'))
      expect(summary).to.deep.equal({ total: 5, succeeded: 5, failed: 0 })
      expect(results.map(({ outputs }: { outputs: { OUT: string } }) => outputs.OUT)).to.deep.equal([...'abcde'])
      expect(marksIn(home).sort()).to.deep.equal([...'abcde'])
      expect(engine.subRuns(run).map(({ status, attempt }) => `${status} ${attempt}`)).to.deep.equal(
        Array.from({ length: 5 }, () => 'succeeded 1')
      )
    } finally {
      await engine.close()
    }
  })

  it('9.5.5 kill -9 while a call is being stopped: no further item is begun, the run ends canceled', async () => {
    const home = temporaryFolder()
    await killedAfter(home, parallelCall(home), 4)
    const first = await createEngine({ home })
    await first.stop({ name: 'outer', dagRunId: 'r1' })
    await first.close()
    const engine = await createEngine({ home })
    try {
      const { run, nodes } = await engine.result({ name: 'outer', dagRunId: 'r1' })
      expect([run.status, nodes[0]?.node.status]).to.deep.equal(['canceled', 'canceled'])
      expect(marksIn(home).sort()).to.deep.equal([...'abcd'])
      expect(engine.subRuns(run).map(({ status }) => status)).to.not.include('running')
    } finally {
      await engine.close()
    }
  })

  it('9.5.5 a restart in the middle of a stop: a sub run that runs its cancel handler has heard it, and runs that and exit to their end', async () => {
    const home = temporaryFolder()
    const first = await createEngine({ home, defaultShell: 'sh' })
    const key = await first.start({ spec: stoppedCall(home), dagRunId: 'r1' })
    await eventually('the step', () => marksIn(home).includes('step') || undefined)
    await first.stop(key)
    await eventually('the handler', () => marksIn(home).includes('canceled') || undefined)
    await first.close()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      writeFileSync(join(home, 'go'), '')
      expect((await engine.result(key)).run.status).to.equal('canceled')
      expect(marksIn(home)).to.deep.equal(['step', 'canceled', 'went on', 'exit'])
    } finally {
      await engine.close()
    }
  })

  for (const [title, end, ends] of [
    ['a stop', '', { status: 'canceled', error: 'signal: terminated' }],
    ['a time limit', 'timeoutSec: 1', { status: 'failed', exitCode: 124 }]
  ] as const)
    it(`7.3.3 ${title}: what a step leaves of its group when its engine ends then is killed by the next one`, async () => {
      const home = temporaryFolder()
      const first = await createEngine({ home, defaultShell: 'sh' })
      const key = await first.start({ spec: stubbornGroup(home, end), dagRunId: 'r1' })
      await eventually('both', () => marksIn(home).length > 1 || undefined)
      const [leader = 0, stubborn = 0] = marksIn(home).map(Number)
      if (!end) await first.stop(key)
      await gone(leader)
      await first.close()
      expect(identityOf(stubborn), 'it lives on').to.not.equal(undefined)
      const engine = await createEngine({ home, defaultShell: 'sh' })
      try {
        const { nodes } = await engine.result(key)
        expect(nodes[0]?.node).to.include(ends)
        await gone(stubborn, 500)
      } finally {
        await engine.close()
      }
    })

  it('5.6.11 a condition that was being checked is killed, and checked anew', async () => {
    const home = temporaryFolder()
    await killedAfter(home, checkedStep(home), 1)
    const pid = Number(marksIn(home)[0])
    const before = identityOf(pid)
    expect(before && isAlive(before), 'the condition lives on').to.equal(true)
    const engine = await createEngine({ home })
    try {
      await gone(pid)
      await eventually('the next one', () => marksIn(home).length > 1 || undefined)
      writeFileSync(join(home, 'go'), '')
      const { run } = await engine.result({ name: 'checked', dagRunId: 'r1' })
      expect(run.status).to.equal('succeeded')
      expect(marksIn(home)).to.have.length(2)
    } finally {
      await engine.close()
    }
  })

  it('9.5 a sub run that cannot go on after a restart has failed for its caller', async () => {
    const home = temporaryFolder()
    const secret = join(home, 'secret')
    writeFileSync(secret, 'hush')
    await killedAfter(home, secretCall(home, secret), 1)
    rmSync(secret)
    const engine = await createEngine({ home })
    try {
      const { run, nodes } = await engine.result({ name: 'outer', dagRunId: 'r1' })
      expect(run.status).to.equal('failed')
      expect(nodes[0]?.node.error).to.match(/^sub DAG run \w+ failed with status: failed$/)
    } finally {
      await engine.close()
    }
  })

  it('13.5.4 sub runs of a lost run are settled with it', async () => {
    const home = temporaryFolder()
    await killedAfter(home, parallelCall(home), 4)
    const store = openStore(join(home, 'data'))
    const entries = entriesIn(join(home, 'data', 'write-ahead'))
    await commit(store, entries, { again: true })
    writeFileSync(join(home, 'data', 'write-ahead'), '')
    const lost = store.runs.get(['outer', 'r1'])
    if (!lost) throw new Error('the run is not stored')
    const { open: _, ...rest } = lost
    await store.runs.put(['outer', 'r1'], rest)
    await store.root.close()
    const engine = await createEngine({ home })
    try {
      const run = engine.record({ name: 'outer', dagRunId: 'r1' })
      expect(run).to.include({ status: 'failed' })
      expect(run?.error).to.contain('state unreadable')
      const states = await eventually('the sub runs to end', () => {
        const all = engine.subRuns({ name: 'outer', dagRunId: 'r1' }).map(({ status }) => status)
        return all.includes('running') ? undefined : all.sort()
      })
      expect(states).to.deep.equal(['canceled', 'canceled', 'succeeded', 'succeeded'])
    } finally {
      await engine.close()
    }
  })

  it('P5 no record of the journal is written over: what a step did alone before the kill is still told', async () => {
    const home = temporaryFolder()
    const waits = `
name: waits
type: graph
steps:
  - {name: fails, command: 'echo x >>${home}/marks; [ -e ${home}/go ]', retryPolicy: {limit: 1, intervalSec: 2}}
  - {name: other, command: 'while [ ! -e ${home}/go ]; do sleep 0.05; done'}
`
    await killedAfter(home, waits, 1, 500)
    const engine = await createEngine({ home })
    try {
      writeFileSync(join(home, 'go'), '')
      const { run } = await engine.result({ name: 'waits', dagRunId: 'r1' })
      expect(run.status).to.equal('succeeded')
      const moves = engine.journal(run, 0, 100).filter(({ step }) => step === 'fails')
      expect(moves.map(({ from, to }) => `${from} > ${to}`)).to.deep.equal([
        ' > attempting.executing',
        'attempting.executing > waiting',
        'waiting > attempting.executing',
        'attempting.executing > succeeded'
      ])
    } finally {
      await engine.close()
    }
  })
})
