/** What a worker does for the runs of its engine: real steps, real files. Source: distribution 1 (D3, D8-D13, D16), 5. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { OpenJob, SeenNode } from '../../../src/bus/jobs.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'
import { named } from '../../support/worker/engine-end.ts'
import { runFolder, type WorkerScene, workerScene } from '../../support/worker/machines.ts'

/** @param text of the definition */
function openJob(text: string, given: Partial<OpenJob> = {}): OpenJob {
  const { plan, problems } = readDefinition(`name: a\n${text}`)
  if (!plan) throw new Error(JSON.stringify(problems))
  return {
    run: { name: 'a', dagRunId: 'r1' },
    runAttempt: 1,
    plan: { ...plan, sourceDir: '/of/the/engine' },
    params: [],
    ...given
  }
}
const node = (step: string, given: Partial<SeenNode> = {}): SeenNode => ({ step, ...given })

describe('worker › what it does for a run', () => {
  let scene: WorkerScene
  let run = 0
  before(() => {
    const PLAIN = { PATH: process.env.PATH ?? '', LANG: 'C', SECRET_OF_HERE: 'sesame-open', ENGINE_COORDINATOR_X: 'y' }
    scene = workerScene({ environment: PLAIN })
  })
  after(() => scene.tasks.close())
  beforeEach(() => {
    run++
  })
  const opened = async (text: string, given: Partial<OpenJob> = {}) => {
    const result = await scene.done('open', openJob(text, { run: { name: 'a', dagRunId: `r${run}` }, ...given }), {
      run
    })
    expect(result.error).to.equal(undefined)
  }
  const step = (job: object) => scene.done('step', job, { run })
  const begin = (job: object) => scene.begin('step', job, { run })

  it('a run is opened, its steps executed in a folder of its own, with the environment of the worker; closed, its folder is gone', async () => {
    await opened('steps: [{name: one, command: "pwd; env; echo oops >&2; exit 3"}]\nenv: [{A: "`echo here`"}]')
    const task = await begin({ place: 0 })
    const event = await scene.ended(task)
    const result = JSON.parse(event.result ?? '')
    expect(result).to.deep.include({ exitCode: 3, notes: [] })
    expect(result.error).to.contain('failed to execute step "one"').and.contain('oops')
    const text = await scene.log(task)
    expect(text)
      .to.contain(join(runFolder(scene, run), 'work'))
      .and.contain('A=here')
    expect(text).not.to.contain('sesame').and.not.contain('ENGINE_COORDINATOR')
    expect([event.outFrom, event.out, String(event.tailErr)]).to.deep.equal([0, text.length, 'oops\n'])
    expect(statSync(join(runFolder(scene, run), 'open.json')).mode & 0o777).to.equal(0o600)
    expect(scene.tasks.runs()).to.deep.equal([{ run: named(1_000 + run), lease: 7 }])
    await scene.done('close', {}, { run })
    expect(scene.tasks.runs()).to.deep.equal([])
    expect(readdirSync(runFolder(scene, run))).to.deep.equal(['logs'])
    expect(await scene.log(task)).to.equal(text)
    await scene.engine.insist({ kind: 'forget', tasks: [], runs: [named(1_000 + run)] })
    await eventually('everything is gone', () => (existsSync(runFolder(scene, run)) ? undefined : true))
  })
  it('a step of a run that is not open is refused: open first', async () => {
    const error = await begin({ place: 0 }).catch((thrown: Error) => thrown.message)
    expect(error).to.match(/^run: /)
  })
  it('why a run cannot be opened is told, without secrets', async () => {
    const text =
      'secrets: [{name: S, provider: env, key: SECRET_OF_HERE}]\nenv: [{A: "`echo $SECRET_OF_HERE; exit 4`"}]\nsteps: [{name: one, command: "true"}]'
    const { error } = await scene.done('open', openJob(text), { run })
    expect(error).to.contain('exit status 4').and.not.contain('sesame')
  })

  it('D11 the value of a secret leaves neither in logs nor outputs nor errors, and is back for later steps', async () => {
    await opened(
      `secrets: [{name: S, provider: env, key: SECRET_OF_HERE}]
steps:
  - {name: one, command: 'echo "<$S>"; echo $S >&2; exit \${CODE:-0}', output: OUT}
  - {name: two, command: '[ "$OUT" = "<$S>" ] && echo same', depends: one}`
    )
    const task = await begin({ place: 0 })
    const event = await scene.ended(task)
    const { output, outputMarks } = JSON.parse(event.result ?? '')
    expect([output, await scene.log(task, 'stderr')]).to.deep.equal(['<*******>', '*******\n'])
    expect(JSON.stringify(event)).not.to.contain('sesame')
    const nodes = [[0, node('one', { output, outputMarks, hasLogs: true })]]
    const second = await begin({ place: 1, nodes })
    expect(JSON.parse((await scene.ended(second)).result ?? '')).to.deep.equal({ exitCode: 0, notes: [] })
    for (const file of readdirSync(join(scene.home, 'spool')))
      expect(readFileSync(join(scene.home, 'spool', file), 'utf8')).not.to.contain('sesame')
    const marks = [{ at: 1, secret: 'OTHER' }]
    const result = await step({ place: 1, attempt: 2, nodes: [[0, node('one', { output, outputMarks: marks })]] })
    expect(result.error).to.equal('failed to execute step "two": output of one holds a secret of another worker')
  })
  it('logs that a step refers to are those of this worker', async () => {
    await opened(
      `steps:
  - {name: one, id: first, command: echo from one}
  - {name: two, command: 'cat \${first.stdout}', depends: one}`
    )
    await step({ place: 0 })
    const task = await begin({ place: 1, nodes: [[0, node('one', { hasLogs: true, exitCode: 0 })]] })
    await scene.ended(task)
    expect(await scene.log(task)).to.equal('from one\n')
  })
  it('a working folder that is named must be there', async () => {
    const there = temporaryFolder()
    await opened(`workingDir: ${there}\nsteps: [{name: one, command: pwd}]`)
    const task = await begin({ place: 0 })
    await scene.ended(task)
    expect((await scene.log(task)).trim()).to.equal(there)
    run++
    const { error } = await scene.done('open', openJob(`workingDir: ${there}/no\nsteps: [{name: one, command: pwd}]`), {
      run
    })
    expect(error).to.equal(`the working directory ${there}/no is not there on the worker wa`)
  })

  it('preconditions, texts of a retry policy, repeat conditions and calls are evaluated here', async () => {
    await opened(
      `preconditions: [{condition: "test -e /"}]
steps:
  - name: one
    command: echo 5
    output: N
    preconditions: [{condition: "\${WHO}", expected: me}]
    retryPolicy: {limit: "\${LIMIT}", intervalSec: 1}
    repeatPolicy: {repeat: while, condition: "\${N}", expected: "5", intervalSec: 1}
  - name: two
    run: "sub-\${WHO}"
    params: "A=\${WHO} B=\`echo b\`"
    depends: one`,
      {
        params: [
          { name: 'WHO', value: 'me' },
          { name: 'LIMIT', value: '3' }
        ]
      }
    )
    expect(await scene.done('conditions', {}, { run })).to.deep.equal({
      met: true,
      conditions: [{ matched: true, error: '' }],
      notes: []
    })
    const check = await scene.done('check', { place: 0 }, { run })
    expect(check).to.deep.include({ met: true, notes: [] })
    expect(check.retry).to.include({ limit: 3, interval: 1_000 })
    const over = { place: 0, over: true, nodes: [[0, node('one', { output: '5' })]] }
    expect(await scene.done('repeat', over, { run })).to.deep.equal({ met: true, notes: [] })
    const four = await scene.done('repeat', { ...over, nodes: [[0, node('one', { output: '4' })]] }, { run })
    expect(four.met).to.equal(false)
    const call = await scene.done('expand', { place: 1 }, { run })
    expect(call).to.deep.include({ target: 'sub-me' })
    expect(call.refs?.map(({ params }) => params)).to.deep.equal(['A="me" B="b"'])
  })
  it('a sub run inherits from its caller on this worker, also after a restart; otherwise what its job says', async () => {
    const parent = { name: 'a', dagRunId: `r${run}` }
    await opened(
      `env: [{TOP: top}]
steps:
  - {name: one, command: echo 5, output: N}
  - {name: two, run: sub, depends: one, env: [{OWN: "own \${N}"}]}`
    )
    await scene.done('expand', { place: 1, nodes: [[0, node('one', { output: '5' })]] }, { run })
    const caller = { root: parent, parent, step: 'two', runAttempt: 1, attempt: 1, depth: 1 }
    const sub = 'env: [{SEEN: "${TOP}, ${OWN}, ${N}"}]\nsteps: [{name: s, command: "echo $SEEN"}]'
    for (const count of [1, 2]) {
      if (count === 2) await scene.restart()
      run++
      await opened(sub, { run: { name: 'sub', dagRunId: `s${run}` }, caller })
      const task = await begin({ place: 0 })
      await scene.ended(task)
      expect(await scene.log(task)).to.equal('top, own 5, 5\n')
    }
    run++
    const inherited = { values: { TOP: 'told' }, data: [] }
    const away = { ...caller, parent: { name: 'away', dagRunId: 'x' } }
    await opened(sub, { run: { name: 'sub', dagRunId: `s${run}` }, caller: away, inherited })
    const task = await begin({ place: 0 })
    await scene.ended(task)
    expect(await scene.log(task)).to.equal('told, ,\n')
  })
  it('D13 a stop reaches a step at work', async () => {
    await opened('steps: [{name: one, command: "echo on; sleep 600"}]')
    const task = await begin({ place: 0 })
    await eventually('it is at work', async () => ((await scene.log(task)) === 'on\n' ? true : undefined))
    await scene.engine.insist({ kind: 'stop', task: named(task), lease: 7, signal: 'SIGTERM' })
    const { exitCode, signal } = JSON.parse((await scene.ended(task)).result ?? '')
    expect([exitCode, signal]).to.deep.equal([-1, 'terminated'])
  })
  it('warnings for the run log come with the result', async () => {
    await opened('steps: [{name: one, command: "true", shellPackages: [git]}]')
    const { notes } = await step({ place: 0 })
    expect(notes.map(({ level, message, fields }) => [level, message, fields])).to.deep.equal([
      ['WARN', 'shellPackages has no effect: the shell of the step is not nix-shell', { step: 'one' }]
    ])
  })
  it('a step of a type that this worker does not know fails', async () => {
    const job = openJob('steps: [{name: one, command: "true"}]', { run: { name: 'a', dagRunId: `r${run}` } })
    const [one] = job.plan.steps
    if (one) one.executor = { type: 'teleport', config: {} } as never
    await scene.done('open', job, { run })
    const result = await step({ place: 0 })
    expect(result).to.deep.include({
      exitCode: 1,
      error: 'failed to execute step "one": executor type "teleport" is not registered on this worker'
    })
  })
  it('D10 a log of 20 MB is read in parts, in bounded memory', async function () {
    this.timeout(60_000)
    await opened('steps: [{name: one, command: "head -c 20000000 /dev/zero | tr \'\\\\0\' x"}]')
    const task = await begin({ place: 0 })
    const event = await scene.ended(task)
    expect([event.out, event.tailOut]).to.deep.equal([20_000_000, undefined])
    const before = process.memoryUsage().arrayBuffers
    let size = 0
    let most = 0
    while (size < event.out) {
      const read = {
        kind: 'read' as const,
        task: named(task),
        lease: 7,
        stream: 'stdout' as const,
        from: size,
        max: 262_144
      }
      const part = await scene.engine.insist(read)
      size += part.kind === 'part' ? part.data.length : 0
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    expect(size).to.equal(20_000_000)
    expect(most).to.be.below(16_000_000)
  })
  it('D8 an execution outlives the process of its worker, and is found: nothing is begun twice', async () => {
    const marks = join(temporaryFolder(), 'marks')
    await opened(`steps: [{name: one, command: "echo x >>${marks}; echo on; sleep 1; echo over"}]`)
    const task = await begin({ place: 0 })
    await eventually('it is at work', async () => ((await scene.log(task)) === 'on\n' ? true : undefined))
    await scene.restart()
    const event = await scene.ended(task)
    expect(JSON.parse(event.result ?? '')).to.deep.equal({ exitCode: 0, notes: [] })
    expect([readFileSync(marks, 'utf8'), String(event.tailOut)]).to.deep.equal(['x\n', 'on\nover\n'])
    expect(scene.engine.told('found', named(task)).length).to.be.greaterThan(0)
  })
  it('D3 one whose records were removed while the worker was away is not begun again', async () => {
    const marks = join(temporaryFolder(), 'marks')
    await opened(`steps: [{name: one, command: "echo x >>${marks}; echo on; sleep 2"}]`)
    const task = await begin({ place: 0 })
    await eventually('it is at work', async () => ((await scene.log(task)) === 'on\n' ? true : undefined))
    await scene.tasks.close()
    rmSync(join(runFolder(scene, run), 'logs'), { recursive: true })
    await scene.restart()
    await scene.ended(task)
    expect(readFileSync(marks, 'utf8')).to.equal('x\n')
  })
  it('the engine is asked about a run as long as it is open, whatever it has said of its tasks', async () => {
    await opened('steps: [{name: one, command: "true"}]')
    const { word } = scene.engine
    scene.engine.word = () => ({ kind: 'unknown' })
    await step({ place: 0 })
    await scene.restart()
    const own = () => scene.tasks.held().filter((task) => task.run === named(1_000 + run))
    await eventually('nothing else is on record', () => (own().length === 1 ? true : undefined))
    scene.engine.word = word
    await scene.done('close', {}, { run })
  })
  it('a run that a killed process had forgotten but for its folder has no slot, and is removed', async () => {
    await opened('steps: [{name: one, command: "true"}]')
    const [kept, left] = [runFolder(scene, run), runFolder(scene, run + 1_000)]
    cpSync(kept, left, { recursive: true })
    const before = scene.tasks.taken()
    await scene.restart()
    expect([existsSync(kept), existsSync(left), scene.tasks.taken()]).to.deep.equal([true, false, before])
  })
  it('runs are refused when slots are full; those below one that is here are not, nor those that its engine says need none', async () => {
    const small = workerScene({ slots: 1 })
    const plain = 'steps: [{name: one, command: "true"}]'
    const why = (error: Error) => error.message.split(':')[0]
    const root = { name: 'a', dagRunId: 'r1' }
    await small.done('open', openJob(plain, { run: root }), { run: 1 })
    expect(await small.begin('open', openJob(plain), { run: 2 }).catch(why)).to.equal('full')
    const caller = { root, parent: root, step: 'one', runAttempt: 1, attempt: 1, depth: 1 }
    await small.done('open', openJob(plain, { run: { name: 'sub', dagRunId: 's' }, caller }), { run: 3 })
    for (const [at, slot] of (['shared', 'extra'] as const).entries())
      await small.done('open', openJob(plain, { run: { name: 'far', dagRunId: slot }, slot }), { run: 4 + at })
    expect(small.tasks.taken()).to.equal(2)
    await small.done('step', { place: 0 }, { run: 1 })
    await small.done('close', {}, { run: 1 })
    await small.tasks.close()
  })
  it('nothing went wrong that only its log would tell', () => {
    expect(scene.warnings).to.deep.equal([])
  })
})
