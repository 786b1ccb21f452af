/** Sub workflows: `call`, `run`, `executor: dag`. Source: execution-semantics 9.1-9.3, 9.5; definition-format "Step fields". */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { subRunId } from '../../src/spec/sub-run-id.ts'
import { temporaryFolder } from '../support/homes.ts'
import { type Ended, liveEngine, seen } from '../support/live.ts'
import { eventually, WHEN_BUSY } from '../support/waiting.ts'

const KID = `
---
name: kid
params: X=1 Y=2
steps:
  - command: echo "$X and $Y"
    output: OUT
`

describe('sub workflows › call', () => {
  const dags = temporaryFolder()
  const live = liveEngine({ dagsDir: dags })
  /** The only sub DAG run of a step. */
  const subOf = (run: Ended, step: string): Ended => {
    const item = run.nodes.find((node) => node.step.name === step)?.calls?.subRuns[0]
    const view = item && live.engine.subRun(run.run, item.dagRunId)
    if (!view) throw new Error(`step ${step} has no sub DAG run`)
    return seen(view)
  }
  const json = (run: Ended, step: string) => JSON.parse(run.out(step))

  it('9.1.1 a local workflow of the same file; 9.3.1 the result is 2-space JSON with keys in order; 9.3.5 JSON path access', async () => {
    const run = await live.run(`
steps:
  - {name: a, call: kid, params: X=hello, output: RES}
  - {name: b, command: 'echo "\${RES.outputs.OUT}|\${RES.status}|\${RES.params}|\${RES.name}"'}
${KID}`)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded'])
    const { dagRunId } = subOf(run, 'a').run
    expect(run.out('a')).to.equal(
      `{\n  "name": "kid",\n  "dagRunId": "${dagRunId}",\n  "params": "X=hello Y=2",\n  "outputs": {\n    "OUT": "hello and 2"\n  },\n  "status": "succeeded"\n}\n`
    )
    expect(run.out('b')).to.equal('hello and 2|succeeded|X=hello Y=2|kid\n')
  })

  it('`run` is an alias of `call`, and `executor: dag` with command equals it (9.1.5)', async () => {
    const run = await live.run(`
steps:
  - {name: a, run: kid}
  - {name: b, executor: dag, command: kid}
${KID}`)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded'])
    expect(json(run, 'b').outputs).to.deep.equal({ OUT: '1 and 2' })
  })

  it("9.1.1 a stored workflow of the definitions directory, `.yaml` optional, or a path; 4.4.5 it works in its file's directory", async () => {
    writeFileSync(join(dags, 'stored.yaml'), 'steps: [{command: pwd, output: WHERE}]')
    for (const target of ['stored', 'stored.yaml', join(dags, 'stored'), './stored.yaml']) {
      const run = await live.run(`steps: [{name: a, call: ${target}}]`)
      expect(run.status, target).to.equal('succeeded')
      expect(json(run, 'a')).to.deep.include({ name: 'stored', outputs: { WHERE: dags } })
    }
  })

  it('9.1.2 the name may contain variables; 9.1.3 not found: the node fails', async () => {
    const run = await live.run(`
params: WHO=kid
type: graph
steps:
  - {name: a, call: "\${WHO}"}
  - {name: b, call: "no\${WHO}"}
${KID}`)
    expect(run.statuses).to.deep.equal(['succeeded', 'failed'])
    expect(run.node('b').error).to.contain('failed to find DAG "nokid"')
    expect(run.err('b')).to.contain('failed to find DAG "nokid"')
  })

  it('a stored workflow with problems fails the node and names them', async () => {
    writeFileSync(join(dags, 'broken.yaml'), 'steps: [{command: a, depends: nobody}]')
    const run = await live.run('steps: [{name: a, call: broken}]')
    expect(run.node('a').error).to.contain('failed to load DAG "broken"').and.to.contain('nobody')
  })

  it('9.1.4 local workflows of one file can call each other, also from inside a sub run; 9.2.3 root is the top run, parent the caller', async () => {
    const run = await live.run(`
steps: [{name: a, call: middle}]
---
name: middle
steps: [{name: m, call: kid, output: RES}, {name: n, command: 'echo "\${RES.outputs.OUT}"', output: GOT}]
${KID}`)
    expect(json(run, 'a').outputs.GOT).to.equal('1 and 2')
    const middle = subOf(run, 'a')
    const innermost = live.engine.subRuns(run.run).find(({ name }) => name === 'kid')
    expect(middle.run.caller).to.deep.include({ root: keyOf(run), parent: keyOf(run), step: 'a', depth: 1 })
    expect(innermost?.caller).to.deep.include({ root: keyOf(run), parent: keyOf(middle), step: 'm', depth: 2 })
    expect(live.engine.runs({ name: 'kid' })).to.deep.equal([])
  })

  it('9.1.6 depth limit 32 levels', async () => {
    const run = await live.run(`
name: loop
steps: [{call: again}]
---
name: again
steps: [{call: again, output: RES}]
`)
    expect(run.status).to.equal('failed')
    const all = live.engine.subRuns(run.run)
    expect(all).to.have.length(32)
    const deepest = all.find(({ caller }) => caller?.depth === 32)
    expect(deepest && live.engine.run(deepest)?.nodes[0]?.node.error).to.contain('sub workflow nesting exceeds 32')
  })

  it("9.2.1 params: any form, values expanded at run time; 9.2.2 none: the sub workflow's defaults; 9.2.4 maxActiveRuns is ignored", async () => {
    const run = await live.run(`
env: [{WHO: "big world"}]
type: graph
steps:
  - {name: a, call: kid, params: 'X="a b" Y=\${WHO}'}
  - {name: b, call: kid, params: {X: 5, Y: "say \\"hi\\""}}
  - {name: c, call: kid, params: [{X: 6}, "Y=7"]}
  - {name: d, call: kid}
${KID}`)
    expect(['a', 'b', 'c', 'd'].map((name) => json(run, name).outputs.OUT)).to.deep.equal([
      'a b and big world',
      '5 and say "hi"',
      '6 and 7',
      '1 and 2'
    ])
    expect(run.nodes[0]?.calls?.subRuns[0]?.params).to.equal('X="a b" Y="big world"')
  })

  it("3.5.5 a sub workflow sees the parent's env, params, outputs and calling step's env at its own load; its steps do not receive them", async () => {
    const run = await live.run(`
env: [{PARENT_VAR: from-env}]
params: PARENT_PARAM=from-param
steps:
  - {name: o, command: echo from-output, output: PARENT_OUT}
  - {name: a, call: kid2, env: [{STEP_VAR: from-step}]}
---
name: kid2
env: [{A: "\${PARENT_VAR} \${PARENT_PARAM} \${PARENT_OUT} \${STEP_VAR}"}]
steps: [{command: 'echo "$A|$PARENT_VAR|$PARENT_PARAM|$STEP_VAR"', output: OUT}]
`)
    expect(json(run, 'a').outputs.OUT).to.equal('from-env from-param from-output from-step|||')
  })

  it("3.5.5 the calling step's env is evaluated once for all that an execution calls, and anew for the next execution", async () => {
    const counted = join(temporaryFolder(), 'counted')
    const run = await live.run(`
steps:
  - name: a
    call: kid3
    parallel: [1, 2, 3]
    env: [{TURN: "\`echo x >>${counted}; wc -l <${counted}\`"}]
    retryPolicy: {limit: 1, intervalSec: 0}
---
name: kid3
env: [{SEEN: "\${TURN}"}]
steps: [{command: 'echo "$SEEN"; test "$SEEN" -gt 3', output: OUT}]
`)
    // Items are found, and the result is told, in the step's variables, too.
    const evaluations = readFileSync(counted, 'utf8').split('\n').length - 1
    expect(evaluations).to.be.within(4, 6)
    const written = run.out('a')
    const { outputs } = JSON.parse(written.slice(written.lastIndexOf('\n{\n')))
    const seenByItems = outputs.map(({ OUT }: { OUT: string }) => OUT)
    expect(new Set(seenByItems).size).to.equal(1)
    expect(run.nodes[0]?.node.retryCount).to.equal(1)
    expect(run.status).to.equal('succeeded')
  })

  it("4.4.5 a local workflow without its own workingDir works in the parent's DAG working directory", async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
workingDir: ${folder}
steps: [{name: a, call: here}]
---
name: here
steps: [{command: pwd, output: OUT}]
`)
    expect(json(run, 'a').outputs.OUT).to.equal(folder)
  })

  it('9.3.2 outputs: all output variables of all nodes, later node wins', async () => {
    const run = await live.run(`
steps: [{name: a, call: two}]
---
name: two
steps: [{command: echo 1, output: A}, {command: echo 2, output: B}, {command: echo 3, output: A}]
`)
    expect(json(run, 'a').outputs).to.deep.equal({ A: '3', B: '2' })
  })

  it('9.3.3 printed also when the sub run failed; 9.3.4 failed: exit code 1 and its error; partially_succeeded: partially_succeeded', async () => {
    const run = await live.run(`
type: graph
steps:
  - {name: a, call: bad}
  - {name: b, call: partly}
  - {name: c, command: echo c, depends: b}
---
name: bad
steps: [{command: "echo x; exit 3", output: OUT}]
---
name: partly
steps: [{command: exit 1, continueOn: {failure: true}}, "true"]
`)
    expect(run.statuses).to.deep.equal(['failed', 'partially_succeeded', 'succeeded'])
    expect(json(run, 'a')).to.deep.include({ status: 'failed', outputs: { OUT: 'x' } })
    const { dagRunId } = subOf(run, 'a').run
    expect(run.node('a')).to.deep.include({
      exitCode: 1,
      error: `sub DAG run ${dagRunId} failed with status: failed`
    })
    const partly = await live.run(`
steps: [{call: partly}]
---
name: partly
steps: [{command: exit 1, continueOn: {failure: true}}, "true"]
`)
    expect(partly.status).to.equal('partially_succeeded')
  })

  it('9.5.1 the sub run id is made from parent run id, step name and params', async () => {
    const run = await live.run(`steps: [{name: a, call: kid, params: X=9}]${KID}`)
    expect(subOf(run, 'a').run.dagRunId).to.equal(subRunId(run.run.dagRunId, 'a', 'X="9"'))
  })

  it('1.1.8, 9.5.1 runs of several DAGs with one id, at once and later: each calls a sub run of its own, in a retry too', async () => {
    const folder = temporaryFolder()
    const spec = (who: string) => `
workingDir: ${folder}
steps: [{name: a, call: twin}]
---
name: twin
steps: [echo ${who} >>first, "[ -e ok ]", echo ${who} >>second]
`
    const lines = (file: string) => readFileSync(join(folder, file), 'utf8').trim().split('\n').sort()
    live.engine.createDefinition('lili', spec('lili'))
    const given = { dagRunId: '2026-03-01' }
    const key = { name: 'lili', ...given }
    const atOnce = ['lala', 'lola'].map((name) => live.run(spec(name), { name, ...given }))
    for (const run of await Promise.all(atOnce)) expect(subOf(run, 'a').run.caller?.root.name).to.equal(run.run.name)
    await live.engine.result(await live.engine.start({ fileName: 'lili', ...given }))
    expect(lines('first')).to.deep.equal(['lala', 'lili', 'lola'])
    writeFileSync(join(folder, 'ok'), '')
    await live.engine.renameDefinition('lili', 'lulu')
    for (const run of ['lala', 'lola', 'lulu'])
      expect((await live.ended(await live.engine.retry({ ...key, name: run }))).status, run).to.equal('succeeded')
    const fresh = await live.engine.retry({ ...key, name: 'lulu' }, { dagRunId: 'fresh' })
    expect((await live.ended(fresh)).status).to.equal('succeeded')
    expect([lines('first'), lines('second')]).to.deep.equal([
      ['lala', 'lili', 'lola'],
      ['lala', 'lili', 'lola']
    ])
  })

  it("own logs and history: a sub run's logs lie below its root's", async () => {
    const run = await live.run(`steps: [{name: a, call: kid}]${KID}`)
    const sub = subOf(run, 'a')
    expect(dirname(sub.run.log)).to.equal(join(dirname(run.run.log), 'sub', sub.run.dagRunId))
    expect(readFileSync(sub.run.log, 'utf8')).to.contain('run finished')
    expect(sub.run.nodeLogs).to.equal(dirname(sub.run.log))
    expect(sub.out('cmd_1')).to.equal('1 and 2\n')
  })

  it('a step with call takes stdout:, output limits and continueOn.output like any other', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
workingDir: ${folder}
maxOutputSize: 20
type: graph
steps:
  - {name: a, call: kid, stdout: copy.json}
  - {name: b, call: kid, output: RES}
  - {name: c, call: bad, continueOn: {output: '"status": "failed"'}}
  - {name: d, command: echo d, depends: c}
${KID}
---
name: bad
steps: [exit 1]
`)
    expect(JSON.parse(readFileSync(join(folder, 'copy.json'), 'utf8')).name).to.equal('kid')
    expect(run.node('b').error).to.contain('output exceeded maximum size limit of 20 bytes')
    expect(run.node('d').status).to.equal('succeeded')
  })

  it('6.1.9, 9.5.1 a retry within a pass of a repeating step retries the sub run of that pass', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
workingDir: ${folder}
steps: [{name: a, call: kid, retryPolicy: {limit: 1}, repeatPolicy: {repeat: true, limit: 3}}]
---
name: kid
steps: [echo first >>first, 'echo second >>second; [ $(wc -l <second) -ne 2 ]']
`)
    expect(run.node('a')).to.include({ status: 'succeeded', retryCount: 1, doneCount: 3 })
    const lines = (file: string) => readFileSync(join(folder, file), 'utf8').trim().split('\n').length
    expect([lines('first'), lines('second')]).to.deep.equal([3, 4])
    const subs = live.engine.subRuns(run.run)
    expect(subs.map(({ attempt }) => attempt).sort()).to.deep.equal([1, 1, 2])
  })

  it('1.1.9, 9.5.3, 9.5.4 a retried sub run is what it was, though its file has been edited since', async () => {
    for (const dagRunId of [undefined, 'fresh-snapshot']) {
      const folder = temporaryFolder()
      const child = (steps: string) =>
        writeFileSync(join(dags, 'edited.yaml'), `params: T=\`date +%s%N\`\nworkingDir: ${folder}\nsteps: [${steps}]`)
      child('{name: one, command: echo one $T >>marks}, {name: two, command: "echo two $T >>marks; [ -e ok ]"}')
      const run = await live.run('steps: [{name: a, call: edited}]')
      child('echo new >>marks, {name: one, command: echo edited >>marks}, {name: two, command: echo edited >>marks}')
      writeFileSync(join(folder, 'ok'), '')
      const again = await live.ended(await live.engine.retry(run.run, dagRunId ? { dagRunId } : {}))
      expect(again.status).to.equal('succeeded')
      const [one = '', two, ...more] = readFileSync(join(folder, 'marks'), 'utf8').trim().split('\n')
      expect([two, ...more]).to.deep.equal([one.replace('one', 'two'), one.replace('one', 'two')])
      const [sub] = again.nodes[0]?.calls?.subRuns ?? []
      const view = live.engine.subRun(again.run, sub?.dagRunId ?? '')
      expect(view?.nodes.map(({ node }) => [node.step, node.status])).to.deep.equal([
        ['one', 'succeeded'],
        ['two', 'succeeded']
      ])
    }
  })

  it('1.1.9, 9.5.3, 9.5.4 also when its file is gone, holds no workflow any more, or another name', async () => {
    for (const [change, dagRunId] of [
      [(file: string) => rmSync(file), undefined],
      [(file: string) => rmSync(file), 'fresh-gone'],
      [(file: string) => writeFileSync(file, 'steps: ['), undefined],
      [
        (file: string) => writeFileSync(file, 'name: other\nsteps: [{name: one, command: echo other >>marks}]'),
        undefined
      ],
      [
        (file: string) => writeFileSync(file, 'name: other\nsteps: [{name: one, command: echo other >>marks}]'),
        'fresh-name'
      ]
    ] as const) {
      const folder = temporaryFolder()
      const file = join(dags, 'fleeting.yaml')
      writeFileSync(file, `workingDir: ${folder}\nsteps: [echo one >>marks, "[ -e ok ]", echo two >>marks]`)
      const run = await live.run('steps: [{name: a, call: fleeting}]')
      change(file)
      writeFileSync(join(folder, 'ok'), '')
      const again = await live.ended(await live.engine.retry(run.run, dagRunId ? { dagRunId } : {}))
      expect([again.status, again.node('a').error]).to.deep.equal(['succeeded', undefined])
      expect(readFileSync(join(folder, 'marks'), 'utf8')).to.equal('one\ntwo\n')
    }
    const folder = temporaryFolder()
    const target = join(folder, 'fleeting.yaml')
    writeFileSync(
      target,
      `workingDir: ${folder}\nsteps: [echo one >>marks, rm fleeting.yaml || true, "[ -e ok ] || { touch ok; false; }"]`
    )
    const run = await live.run(
      `steps: [{name: a, call: ${target}, retryPolicy: {limit: 1}}, {name: b, call: ${target}}]`
    )
    expect(run.statuses).to.deep.equal(['succeeded', 'failed'])
    expect(run.node('b').error).to.contain('failed to find DAG')
    expect(readFileSync(join(folder, 'marks'), 'utf8')).to.equal('one\n')
  })

  it('a handler may call; its sub run has the handler as its caller (8.8)', async () => {
    const run = await live.run(`
handlerOn: {exit: {call: kid}}
steps: ["true"]
${KID}`)
    expect(run.node('onExit').status).to.equal('succeeded')
    expect(live.engine.subRuns(run.run).map(({ caller }) => caller?.step)).to.deep.equal(['onExit'])
  })

  it('9.5.5 stop of the parent: each sub run stops by 7.3, runs its cancel and exit handlers and ends canceled', async () => {
    const folder = temporaryFolder()
    const key = await live.start(`
workingDir: ${folder}
steps: [{name: a, call: slow}]
---
name: slow
handlerOn: {cancel: touch cancel, exit: touch exit}
steps: [{name: s, command: "touch began; sleep 60"}, {name: t, command: "true"}]
`)
    await eventually('the sub run at work', () => existsSync(join(folder, 'began')) || undefined)
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect([run.status, ...run.statuses]).to.deep.equal(['canceled', 'canceled'])
    const sub = subOf(run, 'a')
    expect([sub.status, ...sub.statuses]).to.deep.equal(['canceled', 'canceled', 'not_started'])
    expect(['cancel', 'exit'].map((name) => existsSync(join(folder, name)))).to.deep.equal([true, true])
    expect(json(run, 'a').status).to.equal('canceled')
  })

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

  it('9.5.5 a sub run that does not end is killed when maxCleanUpTimeSec of the parent is over', async function () {
    this.retries(WHEN_BUSY)
    const folder = temporaryFolder()
    const key = await live.start(`
workingDir: ${folder}
maxCleanUpTimeSec: 1
steps: [{name: a, call: stubborn}]
---
name: stubborn
maxCleanUpTimeSec: 600
handlerOn: {cancel: sleep 600}
steps: [{name: s, script: "trap '' TERM; touch began; while :; do sleep 0.1; done"}]
`)
    await eventually('the sub run at work', () => existsSync(join(folder, 'began')) || undefined)
    const before = Date.now()
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(Date.now() - before).to.be.below(3_000)
    expect([run.status, subOf(run, 'a').status]).to.deep.equal(['canceled', 'canceled'])
  })

  it('9.5.6 a sub run cannot be stopped or retried on its own', async () => {
    const run = await live.run(`steps: [{name: a, call: kid}]${KID}`)
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

  it('9.5.7 parent timeout: sub run ends canceled, parent node canceled, parent run failed', async () => {
    const run = await live.run(`
timeoutSec: 1
steps: [{name: a, call: slow}]
---
name: slow
steps: [sleep 60]
`)
    expect([run.status, ...run.statuses, subOf(run, 'a').status]).to.deep.equal(['failed', 'canceled', 'canceled'])
  })

  it('9.5.3, 6.1.9 a retried call reuses the sub run id: the sub run is retried from its failed nodes', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
workingDir: ${folder}
steps: [{name: a, call: flaky, retryPolicy: {limit: 2, intervalSec: 0}}]
---
name: flaky
steps:
  - {name: once, command: echo once >>once}
  - {name: twice, command: 'echo x >>tries; [ "$(wc -l <tries)" -gt 1 ]'}
`)
    expect(run.status).to.equal('succeeded')
    expect(run.node('a')).to.include({ retryCount: 1, doneCount: 1 })
    expect(run.nodes[0]?.calls?.subRuns).to.have.length(1)
    expect(run.nodes[0]?.calls?.subRunsRepeated).to.deep.equal([])
    const { attempt, log, nodeLogs } = subOf(run, 'a').run
    expect([attempt, nodeLogs]).to.deep.equal([2, join(dirname(log), '2')])
    expect(readFileSync(join(folder, 'once'), 'utf8')).to.equal('once\n')
  })
})

const keyOf = ({ run: { name, dagRunId } }: Ended) => ({ name, dagRunId })
