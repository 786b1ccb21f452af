/** Steps as another user: what they may, what the engine does for them, and that kills, restarts, retries and handlers stay what they are. Source: docs/operating/limits.md "Another user". */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Engine, type RunKey } from '../../../src/index.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { describeRoot } from '../../support/engine/root-only.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const NOBODY = 65_534

describeRoot('steps.runAs', () => {
  let home: string
  let engine: Engine | undefined
  beforeEach(() => {
    home = temporaryFolder()
  })
  afterEach(() => engine?.close({ runs: 'stop' }))
  const opened = async (settings: Record<string, unknown> = {}) => {
    await engine?.close({ runs: 'leave' })
    engine = await createEngine({ home, defaultShell: 'sh', settings: { 'steps.runAs': 'nobody', ...settings } })
    return engine
  }
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('it was not refused'),
      (error: Error) => error.message
    )
  const ended = async (key: RunKey) => {
    const view = await (engine as Engine).result(key)
    const nodes = view.nodes.map(({ node }) => node)
    const out = nodes.map(({ stdout = '' }) => (existsSync(stdout) ? readFileSync(stdout, 'utf8') : ''))
    return { ...view, nodes, out }
  }
  const inline = async (spec: string) => ended(await (engine as Engine).start({ spec }))
  const open = (name: string, text: string) => {
    const path = join(temporaryFolder(), name)
    writeFileSync(path, text, { mode: 0o644 })
    chmodSync(join(path, '..'), 0o755)
    return path
  }

  it('commands, scripts, conditions and backticks are of that user; folder, logs and home fit', async () => {
    await opened()
    const { run, out, nodes } = await inline(`
name: a
env: [{LOADED: "\`id -un\`"}]
params: "P=\`id -un\`"
precondition: test $(id -un) = nobody
steps:
  - {name: who, command: 'echo $(id -un) $LOADED $P $HOME $USER $LOGNAME; touch mine; echo err >>/dev/stderr', precondition: test $(id -un) = nobody, output: WHO}
  - name: script
    script: |
      #!/bin/sh
      id -un; echo "\${WHO}" | wc -w
  - {name: late, command: 'echo \`id -un\`', env: [{X: "\`id -un\`"}]}
  - {name: copy, command: echo copied, stdout: out/copy}
handlerOn: {exit: id -un}
`)
    expect([run.status, run.error]).to.deep.equal(['succeeded', undefined])
    expect(out).to.deep.equal([
      'nobody nobody nobody /nonexistent nobody nobody\n',
      'nobody\n6\n',
      'nobody\n',
      'copied\n'
    ])
    expect(readFileSync(nodes[0]?.stderr ?? '', 'utf8')).to.equal('err\n')
    const work = join(home, 'data', 'work', 'a', run.dagRunId)
    for (const file of ['', 'mine', 'out', 'out/copy']) expect(statSync(join(work, file)).uid, file).to.equal(NOBODY)
    expect(readdirSync(join(home, 'data', 'scripts')), 'no script is left').to.deep.equal([])
  })

  it('it sees nothing of the engine: home, store, logs, variables', async () => {
    process.env.SECRET_OF_ENGINE = 'hush'
    try {
      await opened()
      const { out } = await inline(`
name: a
env: [{SEEN: "\${SECRET_OF_ENGINE}", RUN: "\`echo x$SECRET_OF_ENGINE\`"}]
steps:
  - |
    env | grep -c hush || true; echo "[$SEEN][$RUN]"
    for folder in ${home} ${home}/data ${home}/data/scripts ${home}/logs; do ls $folder >/dev/null 2>&1 || echo refused; done
    for file in ${home}/data/troupe.mdb /proc/${process.pid}/environ; do cat $file >/dev/null 2>&1 || echo refused; done
`)
      expect(out[0]).to.equal(`0\n[][x]\n${'refused\n'.repeat(6)}`)
    } finally {
      delete process.env.SECRET_OF_ENGINE
    }
  })

  it('files that a definition names are read and written with the rights of the user', async () => {
    await opened()
    const closed = join(temporaryFolder(), 'closed')
    writeFileSync(closed, 'A=root-only\n', { mode: 0o644 })
    const env = await inline(`name: a\ndotenv: ${closed}\nsteps: ["echo [$A]"]\n`)
    expect(env.out[0]).to.equal('[]\n')
    const good = await inline(`name: a\ndotenv: ${open('good.env', 'A=for-all\n')}\nsteps: ["echo [$A]"]\n`)
    expect(good.out[0]).to.equal('[for-all]\n')
    const secret = (key: string) =>
      `name: a\nsecrets: [{name: S, provider: file, key: ${key}}]\nsteps: ["echo \${#S}"]\n`
    expect((await inline(secret(closed))).run.error).to.match(
      /secret "S": the file .* cannot be read: nobody cannot read it/
    )
    expect((await inline(secret(open('secret', 'four')))).out[0]).to.equal('4\n')
    const program = `name: a\nsecrets: [{name: S, provider: command, key: id -un}]\nsteps: ["echo \${#S}"]\n`
    expect((await inline(program)).out[0]).to.equal('6\n')
    const { nodes } = await inline(`
name: a
type: graph
steps:
  - {name: dir, command: pwd, dir: ${join(closed, '..', 'sub')}}
  - {name: copy, command: echo, stdout: /etc/troupe-test-copy}
`)
    expect(nodes[0]?.error).to.match(/the working directory .* cannot be entered by nobody: permission denied/)
    expect(nodes[1]?.error).to.include('stdout cannot be copied to /etc/troupe-test-copy by nobody: Permission denied')
    expect(existsSync('/etc/troupe-test-copy')).to.equal(false)
  })

  it('what would work with the rights of the engine is refused by name, unless executors.allow names it', async () => {
    const { start } = await opened()
    const archive = 'name: a\nsteps: [{name: x, executor: {type: archive, config: {source: a.tar}}, command: list}]\n'
    expect(await failure(start({ spec: archive }))).to.equal(
      'step "x": the executor archive works with the rights of the engine, and steps.runAs has steps run as nobody: executors.allow may name it'
    )
    expect(await failure(start({ spec: 'name: a\nlogDir: /etc/x\nsteps: [id]\n' }))).to.include(
      "field 'logDir': logs are written by the engine, and steps.runAs has steps run as nobody: leave it out"
    )
    await opened({ 'executors.allow': ['shell', 'archive'] })
    expect((await inline(archive)).nodes[0]?.error).to.include('a.tar')
  })

  it('rules say it for groups, root among them; sub workflows follow their own', async () => {
    await opened({
      'steps.rules': [
        { groups: ['ops-*'], runAs: 'daemon:nogroup' },
        { groups: ['trusted'], runAs: 'root' }
      ]
    })
    const who = 'steps: ["echo $(id -un):$(id -gn)"]\n'
    expect((await inline(`name: a\n${who}`)).out[0]).to.equal('nobody:nogroup\n')
    expect((await inline(`name: a\ngroup: ops-eu\n${who}`)).out[0]).to.equal('daemon:nogroup\n')
    expect((await inline(`name: a\ngroup: trusted\n${who}`)).out[0]).to.equal('root:root\n')
    const calls = `name: a\ngroup: trusted\nsteps: [{name: sub, call: b}]\n---\nname: b\n${who}`
    const { run } = await inline(calls)
    const [sub] = (engine as Engine).subRuns(run)
    const view = sub && (engine as Engine).subRun(run, sub.dagRunId)
    expect(readFileSync(view?.nodes[0]?.node.stdout ?? '', 'utf8')).to.equal('nobody:nogroup\n')
  })

  it('a step goes on after a kill of the engine, is found, stopped with its group, and its script is removed', async () => {
    mkdirSync(join(home, 'dags'))
    writeFileSync(join(home, 'marks'), '')
    chmodSync(home, 0o711)
    chmodSync(join(home, 'marks'), 0o666)
    const spec = `
name: long
steps:
  - name: a
    script: |
      trap 'echo stopped >>${home}/marks; exit 3' TERM
      echo $(id -un) >>${home}/marks
      while :; do sleep 0.1; done
`
    await killedAfter(home, spec, 1, () => marksIn(home)[0] === 'nobody', { ENGINE_STEPS_RUN_AS: 'nobody' })
    const { stop } = await opened()
    const key = { name: 'long', dagRunId: 'r1' }
    expect(readdirSync(join(home, 'data', 'scripts'))).to.have.length(1)
    await stop(key)
    const { run } = await ended(key)
    expect([run.status, marksIn(home)]).to.deep.equal(['canceled', ['nobody', 'stopped']])
    await eventually('an empty folder', () => readdirSync(join(home, 'data', 'scripts')).length === 0 || undefined)
  })

  it('retries and repetitions are of that user, in the same folder', async () => {
    await opened()
    const { nodes, out } = await inline(`
name: a
steps:
  - {name: r, command: 'id -un >>tries; test $(wc -l <tries) -gt 2', retryPolicy: {limit: 3, intervalSec: 0}}
  - {name: p, command: cat tries}
`)
    expect([nodes[0]?.retryCount, out[1]]).to.deep.equal([2, 'nobody\n'.repeat(3)])
  })

  it('is refused at the start where it cannot be kept: no such user or group, not root, a home that is closed off', async () => {
    expect(await failure(opened({ 'steps.runAs': 'nobody-here' }))).to.equal(
      'steps.runAs: "nobody-here": there is no user nobody-here here'
    )
    expect(await failure(opened({ 'steps.rules': [{ groups: 'x', runAs: 'nobody:no-group' }] }))).to.equal(
      'steps.rules[0].runAs: "nobody:no-group": there is no group no-group here'
    )
    const inner = join(home, 'closed', 'home')
    mkdirSync(inner, { recursive: true })
    chmodSync(join(home, 'closed'), 0o700)
    expect(await failure(createEngine({ home: inner, settings: { 'steps.runAs': 'nobody' } }))).to.match(
      /^steps\.runAs: .*\/closed\/home\/data\/work cannot be entered by nobody: permission denied: a folder above it is closed to others/
    )
    const { getuid } = process
    process.getuid = () => 1_000
    try {
      expect(await failure(createEngine({ temporary: true, settings: { 'steps.runAs': 'nobody' } }))).to.equal(
        'steps.runAs: only an engine that is root can run steps as somebody else: leave it out, or start it as root'
      )
    } finally {
      if (getuid) process.getuid = getuid
    }
  })
})
