/** A home of a host application that a program without its executors opens. Source: execution-semantics 13.5; docs/executors/custom.md. */
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, defineExecutor, type Engine } from '../../../src/index.ts'
import { program } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

/** Ends when its file is there. */
const gate = defineExecutor({
  type: 'gate',
  async execute({ words: [file = ''], stdout, stop }) {
    stdout.write('at work\n')
    while (!existsSync(file)) {
      if (stop.aborted) throw new Error('stopped')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
})

describe('an engine that lacks an executor of a host', () => {
  let home: string
  let folder: string
  let open: Engine | undefined
  beforeEach(() => {
    home = temporaryFolder()
    folder = temporaryFolder()
  })
  afterEach(() => open?.close({ runs: 'stop' }))
  const opened = async (executors: (typeof gate)[]) => {
    await open?.close({ runs: 'leave' })
    open = await createEngine({ home, defaultShell: 'sh', executors })
    return open
  }
  const atHome = () => opened([gate])
  const elsewhere = () => opened([])
  const waits = (engine: Engine, key: { name: string; dagRunId: string }, step: string) =>
    eventually(`the reason of ${step}`, async () => {
      const explained = await engine.facts.explain(key)
      const reason = explained?.reasons.find((reason) => reason.about.name === step)
      return reason?.cause === 'executor_missing' ? reason : undefined
    })
  const node = (engine: Engine, key: { name: string; dagRunId: string }, step: string) =>
    engine.run(key)?.nodes.find(({ node }) => node.step === step)?.node

  /** Its first step is at work, outside of the engine: whoever opens the home next goes on with that. */
  const begun = (engine: Engine, key: { name: string; dagRunId: string }) =>
    eventually('the first step', () => {
      const { stdout = '' } = engine.run(key)?.nodes[0]?.node ?? {}
      return existsSync(stdout) && statSync(stdout).size > 0 ? true : undefined
    })

  it('leaves a step that has not begun, explains it, lists it in doctor, and the application goes on with it', async () => {
    const host = await atHome()
    const key = await host.start({
      spec: `
name: later
steps:
  - echo begun; until [ -e ${folder}/first ]; do sleep 0.02; done
  - {name: ours, executor: gate, command: ${folder}/second, retryPolicy: {limit: 3, intervalSec: 0}}
  - echo after
`
    })
    await begun(host, key)
    const other = await elsewhere()
    writeFileSync(join(folder, 'first'), '')
    const { text, unblock } = await waits(other, key, 'ours')
    expect(text).to.equal('ours needs the executor "gate", which the engine on this home does not have')
    expect(unblock).to.contain('the application that registers "gate" opens the home')
    expect(node(other, key, 'ours')).to.include({ status: 'running', retryCount: 0 })
    const again = await elsewhere()
    await waits(again, key, 'ours')
    const doctor = program(folder, {}, 'doctor', '--home', home, '--json')
    await doctor.code
    expect(JSON.parse(doctor.written.out).findings.map(({ message }: { message: string }) => message)).to.include(
      `step ours of run ${key.dagRunId} of later waits for a program that has the executor "gate"`
    )
    writeFileSync(join(folder, 'second'), '')
    const { run, nodes } = await (await atHome()).result(key)
    expect(run.status).to.equal('succeeded')
    expect(nodes[1]?.node).to.include({ status: 'succeeded', retryCount: 0 })
  })

  it('leaves the whole run, also a step of a built-in executor that had not begun', async () => {
    const host = await atHome()
    const key = await host.start({
      spec: `name: whole\ndelaySec: 1\nsteps: [touch ${folder}/ran, {name: ours, executor: gate, command: ${folder}/go}]`
    })
    const other = await elsewhere()
    const { text } = await waits(other, key, 'cmd_1')
    expect(text).to.equal(
      'cmd_1 waits with its run: ours needs the executor "gate", which the engine on this home does not have'
    )
    expect(existsSync(join(folder, 'ran'))).to.equal(false)
    writeFileSync(join(folder, 'go'), '')
    expect((await (await atHome()).result(key)).run.status).to.equal('succeeded')
  })

  it('leaves a step that was at work in the application: no retry of it is burnt until the application is back', async () => {
    const host = await atHome()
    const key = await host.start({
      spec: `name: cut\nsteps: [{name: ours, executor: gate, command: ${folder}/go, retryPolicy: {limit: 1, intervalSec: 0}}]`
    })
    await eventually('the step', () => node(host, key, 'ours')?.status === 'running' || undefined)
    const other = await elsewhere()
    await waits(other, key, 'ours')
    expect(node(other, key, 'ours')).to.include({ status: 'running', retryCount: 0 })
    writeFileSync(join(folder, 'go'), '')
    const { run, nodes } = await (await atHome()).result(key)
    expect(run.status).to.equal('succeeded')
    expect(nodes[0]?.node).to.include({ retryCount: 1 })
  })

  it('leaves a handler, a queued run and a sub DAG run of the same file', async () => {
    const host = await atHome()
    const until = `echo begun; until [ -e ${folder}/first ]; do sleep 0.02; done`
    const handled = await host.start({
      spec: `name: handled\nhandlerOn: {exit: {executor: gate, command: ${folder}/go}}\nsteps: ['${until}']`
    })
    const calling = await host.start({
      spec: `name: calling\nsteps: ['${until}', {name: calls, call: inner}]\n---\nname: inner\nsteps: [{name: ours, executor: gate, command: ${folder}/go}]`
    })
    const blocker = await host.start({ spec: `name: queued\nsteps: ['${until}']` })
    const queued = await host.enqueue({
      spec: `name: queued\nsteps: [{name: ours, executor: gate, command: ${folder}/go}]`
    })
    for (const key of [handled, blocker]) await begun(host, key)
    const other = await elsewhere()
    writeFileSync(join(folder, 'first'), '')
    await other.result(blocker)
    await waits(other, handled, 'onExit')
    await waits(other, queued, 'ours')
    const inner = await eventually('the sub run', () => other.subRuns(calling)[0])
    await eventually(
      'the step of the sub run',
      () => other.subRun(calling, inner.dagRunId)?.nodes[0]?.node.status === 'running' || undefined
    )
    writeFileSync(join(folder, 'go'), '')
    const back = await atHome()
    for (const key of [handled, calling, queued]) expect((await back.result(key)).run.status).to.equal('succeeded')
  })

  it('leaves a sub DAG run of a stored definition, which it can read; a new run of one is refused by name', async () => {
    const host = await atHome()
    host.createDefinition(
      'stored',
      `steps: [{name: ours, executor: {type: gate, config: {any: thing}}, command: ${folder}/go}]`
    )
    const calling = await host.start({
      spec: `name: calling\nsteps: ['until [ -e ${folder}/first ]; do sleep 0.02; done', {name: calls, call: stored}]`
    })
    const other = await elsewhere()
    expect(other.definition('stored').definition.problems).to.deep.equal([])
    const refusal =
      'step "ours" needs the executor "gate": an application that opened this home registers it, this program does not have it; start the run there'
    for (const ask of [
      () => other.start({ fileName: 'stored' }),
      () => other.enqueue({ fileName: 'stored' }),
      () => other.start({ spec: `name: x\nsteps: [{name: ours, executor: gate, command: a}]` }),
      () =>
        other.start({
          spec: `name: y\nsteps: [{call: z}]\n---\nname: z\nsteps: [{name: ours, executor: gate, command: a}]`
        }),
      () => other.start({ spec: `name: w\nhandlerOn: {exit: {executor: gate, command: a}}\nsteps: ["true"]` })
    ]) {
      const { code, message } = await ask().catch((error) => error)
      expect(code).to.equal('bad_request')
      expect(message.replace(/onExit/, 'ours')).to.equal(refusal)
    }
    expect(other.runs({ name: 'stored' })).to.deep.equal([])
    const doctor = program(folder, {}, 'doctor', '--home', home, '--json')
    await doctor.code
    const findings = JSON.parse(doctor.written.out).findings as { check: string }[]
    expect(findings.filter(({ check }) => check === 'definitions')).to.deep.equal([])
    writeFileSync(join(folder, 'first'), '')
    const inner = await eventually('the sub run', () => other.subRuns(calling)[0])
    await eventually(
      'the step of the sub run',
      () => other.subRun(calling, inner.dagRunId)?.nodes[0]?.node.status === 'running' || undefined
    )
    writeFileSync(join(folder, 'go'), '')
    expect((await (await atHome()).result(calling)).run.status).to.equal('succeeded')
  })

  it('a retry of its run, and a typing mistake, are refused: they would wait for nobody', async () => {
    const host = await atHome()
    const key = await host.start({
      spec: `name: once\nsteps: ["false", {name: ours, executor: gate, command: ${folder}/go}]`
    })
    await host.result(key)
    const other = await elsewhere()
    const message = (asked: Promise<unknown>) => asked.then(String, (error: Error) => error.message)
    expect(await message(other.retry(key))).to.contain('step "ours" needs the executor "gate"')
    expect(await message(other.reschedule(key))).to.contain('step "ours" needs the executor "gate"')
    expect(await message(other.start({ spec: 'name: typo\nsteps: [{executor: gaet, command: a}]' }))).to.contain(
      'executor type "gaet" is not registered'
    )
    expect(other.record(key)?.status).to.equal('failed')
  })

  it('a stop ends it there', async () => {
    const host = await atHome()
    const key = await host.start({
      spec: `name: stopped\nhandlerOn: {cancel: echo told}\nsteps: [{name: ours, executor: gate, command: ${folder}/go}]`
    })
    const other = await elsewhere()
    await waits(other, key, 'ours')
    await other.stop(key)
    const { run, handlers } = await other.result(key)
    expect([run.status, handlers.onCancel?.node.status]).to.deep.equal(['canceled', 'succeeded'])
  })
})
