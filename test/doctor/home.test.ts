/** Findings about a home besides its store: owner, orphans, permissions, definitions, disk space. */
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { examine, fixHome } from '../../src/doctor/doctor.ts'
import type { Finding } from '../../src/doctor/finding.ts'
import { createEngine } from '../../src/index.ts'
import { STORE_VERSION } from '../../src/store/store-version.ts'
import { called } from '../support/cli/called.ts'
import { program } from '../support/cli/program.ts'
import { killedAfter } from '../support/engine/killed-engine.ts'
import { temporaryFolder } from '../support/homes.ts'
import { connectingTo, lineTo } from '../support/line.ts'
import { damage, diagnosis } from '../support/store/lived-in-home.ts'
import { eventually } from '../support/waiting.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777
const waiting = (home: string) =>
  `name: held\nsteps: [{name: w, command: 'echo one >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done'}]\n`

/** A home that an engine has made and left. */
async function usedHome(): Promise<string> {
  const home = temporaryFolder()
  await createEngine({ home }).then((engine) => engine.close())
  return home
}

/** Whether the store, too, knows that the first step is at work. */
async function isStored(home: string): Promise<boolean> {
  const reader = await createEngine({ home, readOnly: true })
  const run = reader.run({ name: 'connecting', dagRunId: 'r1' })
  await reader.close()
  return run?.nodes[0]?.node.status === 'running'
}

describe('doctor › the home', () => {
  it('of a home in which nothing has run it says so, and makes nothing', async () => {
    const home = temporaryFolder()
    const { messages, runs } = await diagnosis(home)
    expect(messages).to.deep.equal(['note store: there is no store yet'])
    expect(runs).to.equal(0)
    expect(existsSync(join(home, 'data'))).to.equal(false)
  })

  it('D1625 a store that is gone beside logs that are there is an error', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    await engine.result(await engine.start({ spec: 'name: a\nsteps: [echo hi]\n', dagRunId: 'r1' }))
    await engine.close()
    rmSync(join(home, 'data', 'troupe.mdb'))
    expect((await diagnosis(home)).messages).to.deep.equal([
      'error store: the store <home>/data/troupe.mdb is gone: there are logs of 1 run in <home>/logs'
    ])
    rmSync(join(home, 'data'), { recursive: true })
    expect((await diagnosis(home)).messages).to.deep.equal([
      'error store: the store <home>/data/troupe.mdb is gone: there are logs of 1 run in <home>/logs'
    ])
  })

  it('D1625 logs that are gone beside a store that is there: all of them, or those of the steps of a run', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    const { run } = await engine.result(await engine.start({ spec: 'name: a\nsteps: [echo hi]\n', dagRunId: 'r1' }))
    await engine.close()
    rmSync(run.nodeLogs, { recursive: true })
    expect((await diagnosis(home)).messages).to.deep.equal([
      'warning logs: run r1 of a: the logs of its steps in <home>/logs/a/r1/1 are gone'
    ])
    rmSync(join(home, 'logs'), { recursive: true })
    expect((await diagnosis(home)).messages).to.deep.equal([
      'error logs: the folder of logs <home>/logs is gone, and 1 run is stored'
    ])
  })

  for (const [what, text, said] of [
    ['that is no YAML', 'port: [1\n', /config\.yaml:\d+:\d+: invalid YAML/],
    ['with a wrong setting', 'port: none\npaths: {logDir: elsewhere}\n', /config\.yaml:1:1: port: /]
  ] as const)
    it(`D1625 a configuration ${what} is a finding, and everything else is examined all the same`, async () => {
      const home = await usedHome()
      writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 })
      chmodSync(join(home, 'data', 'troupe.mdb'), 0o666)
      const { code, written } = program(home, { ENGINE_HOME: home }, 'doctor', '--json')
      expect(await code, written.err).to.equal(2)
      const { findings } = JSON.parse(written.out) as { findings: { check: string; message: string }[] }
      expect(findings.find(({ check }) => check === 'configuration')?.message).to.match(said)
      expect(findings.find(({ check }) => check === 'permissions')?.message).to.contain('troupe.mdb')
      const fixing = program(home, { ENGINE_HOME: home }, 'doctor', '--fix')
      expect(await fixing.code, 'nothing is fixed with settings that nobody meant').to.equal(1)
    })

  it('it examines while an engine is running, and says which; it fixes nothing then', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      const key = await engine.start({ spec: waiting(home), dagRunId: 'r1' })
      await eventually('the step', () => existsSync(join(home, 'marks')) || undefined)
      const found = await diagnosis(home)
      expect(found.messages).to.deep.equal([])
      expect(found).to.include({ engine: process.pid, runs: 1 })
      const refusal = await diagnosis(home, { fix: true }).then(
        () => 'mended',
        ({ code, message }) => `${code}: ${message}`
      )
      expect(refusal).to.match(/^service_unavailable: this home is in use by the engine with process id \d+/)
      writeFileSync(join(home, 'go'), '')
      expect((await engine.result(key)).run.status).to.equal('succeeded')
    } finally {
      await engine.close()
    }
  })

  it('after kill -9 it says what the next start will do with each step', async () => {
    const home = temporaryFolder()
    await killedAfter(home, waiting(home), 1, 300)
    const { messages } = await diagnosis(home)
    expect(messages).to.include('note processes: step w of run r1 of held is still running')
    expect(
      messages.filter((message) => /^note lock: the last engine \(process \d+\) ended uncleanly$/.test(message))
    ).to.have.length(1)
    expect(messages.filter((message) => !message.startsWith('note'))).to.deep.equal([])
    writeFileSync(join(home, 'go'), '')
    await eventually(
      'the end of the step',
      async () =>
        (await diagnosis(home)).messages.includes('note processes: step w of run r1 of held has ended') || undefined
    )
    const mended = await diagnosis(home, { fix: true })
    expect(mended.messages.filter((message) => !message.startsWith('note'))).to.deep.equal([])
  })

  it('after kill -9 an ssh step that was still connecting never began', async () => {
    const home = temporaryFolder()
    const line = await lineTo({ port: 1 }, true)
    try {
      await killedAfter(home, connectingTo(line), 0, async () => line.connections > 0 && (await isStored(home)))
      const { messages } = await diagnosis(home)
      expect(messages).to.include('note processes: step there of run r1 of connecting never began')
    } finally {
      line.close()
    }
  })

  it('R15 a home that others can look into is closed', async () => {
    const home = await usedHome()
    chmodSync(join(home, 'data'), 0o755)
    chmodSync(home, 0o750)
    const { messages } = await diagnosis(home)
    expect(messages).to.deep.equal([
      'warning permissions: <home> has mode 0750: others can look into the home',
      'warning permissions: <home>/data has mode 0755: others can read what runs have stored'
    ])
    expect((await diagnosis(home, { fix: true })).messages).to.deep.equal([])
    expect([modeOf(home), modeOf(join(home, 'data'))]).to.deep.equal([0o700, 0o700])
  })

  it('closing a folder keeps its other bits, and one that many use is left as it is', async () => {
    const home = await usedHome()
    chmodSync(home, 0o755) // in a closed one nothing else is looked at
    const common = join(temporaryFolder(), 'common')
    for (const [folder, mode] of [
      [join(home, 'dags'), 0o2775],
      [common, 0o1777]
    ] as const) {
      mkdirSync(folder, { recursive: true })
      chmodSync(folder, mode)
    }
    const config = readConfig({ home }, { ENGINE_BASE_CONFIG: join(common, 'base.yaml') })
    const { findings, fixed } = await fixHome(config, systemClock)
    expect(fixed.map(({ mending }) => mending)).to.include(`chmod 2755 ${join(home, 'dags')}`)
    expect(findings.filter(({ check }) => check === 'permissions')).to.deep.equal([
      {
        check: 'permissions',
        severity: 'warning',
        message: `${common} has mode 1777: others can write commands that run as you`,
        mending: 'many use that folder: give one of your own'
      }
    ])
    expect(statSync(common).mode & 0o7777).to.equal(0o1777)
    expect(statSync(join(home, 'dags')).mode & 0o7777).to.equal(0o2755)
  })

  it('suspend flags without a definition are looked for where the settings say', async () => {
    const [home, flags] = [await usedHome(), temporaryFolder()]
    writeFileSync(join(flags, 'gone.suspend'), '')
    const config = readConfig({ home }, { ENGINE_SUSPEND_FLAGS_DIR: flags })
    const { findings } = await examine(config, systemClock)
    expect(findings.map(({ message }) => message)).to.include(
      'there is a suspend flag for gone, and no such definition'
    )
  })

  it('a folder of definitions that the settings name and that is not there; that of a new home comes by itself', async () => {
    const home = await usedHome()
    const found = async (dagsDir: string) => {
      const { findings } = await examine(readConfig({ home, dagsDir }, {}), systemClock)
      return findings.filter(({ check }) => check === 'definitions').map(({ message }) => message)
    }
    const flows = join(home, 'flows')
    expect(await found(flows)).to.deep.equal([`there is no folder of definitions at ${flows}`])
    expect(await found(join(home, 'dags'))).to.deep.equal([])
    mkdirSync(flows)
    expect(await found(flows)).to.deep.equal([])
  })

  it('a folder of definitions that is none, among other problems, which are fixed', async () => {
    const home = await usedHome()
    const dags = join(home, 'dags')
    rmSync(dags, { recursive: true, force: true })
    writeFileSync(dags, '', { mode: 0o600 })
    for (const [dagsDir, what] of [
      [dags, 'something else'],
      [join(dags, 'below'), 'ENOTDIR']
    ] as const) {
      chmodSync(home, 0o755)
      const config = readConfig({ home, dagsDir }, {})
      const looked = await examine(config, systemClock)
      const mended = await fixHome(config, systemClock)
      for (const { findings } of [looked, mended])
        expect(findings.filter(({ check }) => check === 'definitions')).to.deep.equal([
          {
            check: 'definitions',
            severity: 'error',
            message: `definitions folder: wanted a folder, found ${what} at ${dagsDir}`,
            mending: 'make it a folder that this user may read, or give another paths.dagsDir'
          }
        ])
      const opened = [`${home} has mode 0755: others can look into the home`]
      const messagesOf = (findings: Finding[]) => findings.flatMap(({ fix, message }) => (fix ? message : []))
      expect(messagesOf(looked.findings)).to.deep.equal(opened)
      expect(messagesOf(mended.fixed)).to.deep.equal(opened)
    }
  })

  it('definitions that cannot run, names that two have, and what a change has left', async () => {
    const home = await usedHome()
    const dags = join(home, 'dags')
    mkdirSync(dags, { recursive: true })
    for (const [name, text] of [
      ['a.yaml', 'name: same\nsteps: [{command: echo}]\n'],
      ['b.yaml', 'name: same\nsteps: [{command: echo}]\n'],
      ['b.yml', 'steps: [{command: echo}]\n'],
      ['c.yaml', 'steps: [{command: echo, depends: nobody}]\n'],
      ['.0123456789abcdef.tmp', '']
    ] as const)
      writeFileSync(join(dags, name), text)
    utimesSync(join(dags, '.0123456789abcdef.tmp'), 1, 1)
    const { messages } = await diagnosis(home)
    expect(messages[0]).to.equal(
      'warning definitions: definitions a and b have the same DAG name, same: their runs are listed and limited together'
    )
    expect(messages[1]).to.match(/^warning definitions: definition c cannot run: .*nobody/)
    expect(messages.slice(2).sort()).to.deep.equal([
      'note definitions: <home>/dags/.0123456789abcdef.tmp was left by an interrupted change; the definition is unchanged',
      'warning definitions: <home>/dags/b.yml is ignored: there is a .yaml file of that name'
    ])
    await diagnosis(home, { fix: true })
    expect(existsSync(join(dags, '.0123456789abcdef.tmp'))).to.equal(false)
  })

  it('logs without a run, and runs without a log', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    await engine.result(await engine.start({ spec: 'name: a\nsteps: [{command: echo}]', dagRunId: 'r1' }))
    await engine.close()
    mkdirSync(join(home, 'logs', 'a', 'stray'))
    utimesSync(join(home, 'logs', 'a', 'stray'), 1, 1)
    rmSync(join(home, 'logs', 'a', 'r1', 'run.log'))
    expect((await diagnosis(home)).messages).to.deep.equal([
      'warning logs: run r1 of a: its log <home>/logs/a/r1/run.log is gone',
      'warning logs: <home>/logs/a/stray belongs to no run that is stored'
    ])
  })

  it('a store of a newer release is named, and left alone', async () => {
    const home = await usedHome()
    await damage(home, ({ root }) => root.openDB<number, string>({ name: 'meta' }).put('version', STORE_VERSION + 1))
    const { messages } = await diagnosis(home)
    expect(messages).to.have.length(1)
    expect(messages[0]).to.match(
      /^error store: the store was written by Troupe .* and has changed nothing: use Troupe /
    )
  })
})

describe('troupe doctor', () => {
  const doctor = (home: string, ...argv: string[]) => called(home, { ENGINE_HOME: home }, 'doctor', ...argv)

  it('exits with 0 when nothing is wrong, 3 for warnings, 2 for errors, and 1 when it could not look', async () => {
    const home = await usedHome()
    expect(await doctor(home)).to.deep.equal({
      code: 0,
      out: `${home}: 0 runs; no engine is running\nnothing is wrong\n`,
      err: ''
    })
    expect(await doctor(home, '--quiet')).to.deep.equal({ code: 0, out: '', err: '' })
    chmodSync(home, 0o755)
    const warned = await doctor(home)
    expect(warned.code).to.equal(3)
    expect(warned.out).to.match(/^warning {2}permissions {3}.*others can look into the home\n {23}chmod 0700 \S+$/m)
    expect(warned.out).to.contain('0 errors, 1 warning, 0 notes; troupe doctor --fix fixes 1 of them\n')
    const mended = await doctor(home, '--fix')
    expect(mended.code).to.equal(0)
    expect(mended.out).to.match(/^fixed {4}permissions /m)
    await damage(home, (store) => store.open.put(['a', 'r'], true))
    const { code, out } = await doctor(home, '--json')
    expect(code).to.equal(2)
    expect(JSON.parse(out)).to.deep.include({ home, runs: 0, counts: { error: 1, warning: 0, note: 0 }, fixed: [] })
    expect(JSON.parse(out).findings).to.deep.equal([
      {
        check: 'indexes',
        severity: 'error',
        message: 'the index open names ["a","r"], which no run is',
        mending: 'troupe doctor --fix rebuilds the index from the runs',
        fixable: true
      }
    ])
    expect(await doctor(home, '--config', join(home, 'none.yaml'))).to.include({ code: 1, out: '' })
  })
  it('a store that it cannot look into is not said to have no runs and no engine', async () => {
    const home = await usedHome()
    writeFileSync(join(home, 'data', 'troupe.mdb'), 'no store')
    const { code, out } = await doctor(home)
    expect(code).to.equal(2)
    expect(out.split('\n')[0]).to.equal(
      `${home}: the store cannot be read, and it is unknown whether an engine is running`
    )
    const told = JSON.parse((await doctor(home, '--json')).out)
    expect(told).to.include.keys('home', 'counts').and.not.include.any.keys('runs', 'engine')
    const closed = join(temporaryFolder(), 'closed')
    writeFileSync(closed, 'a file')
    expect((await doctor(home, '--home', closed)).out).to.contain(`${closed}: the store cannot be read`)
    expect((await doctor(home, '--home', join(home, 'new'))).out).to.match(/: 0 runs; no engine is running\n/)
  })
})
