/** Whatever is in a home of Dagu, an import names what is wrong and goes on. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { examine } from '../../src/doctor/doctor.ts'
import { createEngine } from '../../src/index.ts'
import { runRecord } from '../../src/store/history.ts'
import { temporaryFolder } from '../support/homes.ts'
import { seeded } from '../support/random.ts'
import { daguHome, importInto, said, statusOf, storeIn } from './scene.ts'

describe('import › a home that is not what it should be', () => {
  it('broken lines: the line before counts; none that says a status: the attempt is named, the others come over', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    writeFileSync(statusOf(from, 'ok-1'), '{"name":"ok","dagRunId"', { flag: 'a' })
    writeFileSync(statusOf(from, 'ok-2'), '[]\nnot json\n')
    writeFileSync(statusOf(from, 'broken-1'), '')
    const done = await importInto(to, from)
    const left = said(done, 'history', 'left').join('\n')
    expect(left).to.match(/_ok-1\/attempt_\w+\/status.jsonl: its last line is no status/)
    expect(left).to.match(/_ok-2\/attempt_\w+\/status.jsonl: has no line that says a status/)
    expect(left).to.match(/_broken-1\/attempt_\w+\/status.jsonl: has no line that says a status/)
    expect(said(done, 'history', 'taken')).to.include('ok: 1 run: 1 succeeded')
    expect(done.runs).to.equal(5)
  })

  it('a status of 64 MiB is read from its end', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    const file = statusOf(from, 'ok-1')
    const last = readFileSync(file)
    truncateSync(file, 64 * 1024 * 1024)
    writeFileSync(file, `\n${last}`, { flag: 'a' })
    expect(said(await importInto(to, from), 'history', 'taken')).to.include('ok: 2 runs: 2 succeeded')
  })

  it('logs that are missing are counted; a log that a status names anywhere else is never read', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    const secret = join(temporaryFolder(), 'secret')
    writeFileSync(secret, 'not yours')
    const file = statusOf(from, 'ok-1')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/"stdout":"[^"]*greet[^"]*"/, `"stdout":${JSON.stringify(secret)}`)
    )
    rmSync(join(from, 'logs', 'broken'), { recursive: true })
    const link = join(
      from,
      'logs',
      'ok',
      readdirSync(join(from, 'logs', 'ok')).find((name) => name.endsWith('_ok-2')) ?? ''
    )
    const [attempt = ''] = readdirSync(link).filter((name) => name.startsWith('run_'))
    const [greet = ''] = readdirSync(join(link, attempt)).filter(
      (name) => name.startsWith('greet') && name.endsWith('.out')
    )
    rmSync(join(link, attempt, greet))
    symlinkSync(secret, join(link, attempt, greet))
    const done = await importInto(to, from)
    expect(said(done, 'logs', 'left')).to.deep.equal([
      'broken: 7 logs that its runs name are not in the logs folder',
      'ok: 2 logs that its runs name are not in the logs folder'
    ])
    const files = readdirSync(join(to, 'logs'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => name.endsWith('greet.out'))).to.deep.equal([])
  })

  it('a configuration that calls everything its logs folder opens nothing either', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    const secret = join(temporaryFolder(), 'secret.log')
    writeFileSync(secret, 'not yours')
    writeFileSync(join(from, 'config.yaml'), 'logDir: /\n')
    const file = statusOf(from, 'ok-1')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"log":"[^"]*"/, `"log":${JSON.stringify(secret)}`))
    await importInto(to, from)
    expect(readFileSync(join(to, 'logs', 'ok', 'ok-1', 'run.log'), 'utf8')).to.contain('without its log')
  })

  it('links out of the folder, files that are no text or too large, odd names: each is named', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    const outside = join(temporaryFolder(), 'outside.yaml')
    writeFileSync(outside, 'steps: [echo outside]\n')
    const dags = join(from, 'dags')
    symlinkSync(outside, join(dags, 'link.yaml'))
    symlinkSync('ok.yaml', join(dags, 'inside.yaml'))
    writeFileSync(join(dags, 'latin.yaml'), Buffer.from('steps:\n  - echo caf\xe9\n', 'latin1'))
    writeFileSync(join(dags, 'large.yaml'), `# ${'x'.repeat(1024 * 1024)}\n`)
    writeFileSync(join(dags, 'two words.yaml'), 'steps: [echo x]\n')
    writeFileSync(join(dags, 'ok.yml'), 'steps: [echo x]\n')
    writeFileSync(join(dags, 'cut.yaml'), 'steps: [echo x\n')
    mkdirSync(join(dags, 'team'))
    writeFileSync(join(dags, 'team', 'a.yaml'), 'steps: [echo x]\n')
    const done = await importInto(to, from)
    expect(
      said(done, 'definitions', 'left').map((line) => line.replace(/: invalid YAML.*/s, ': invalid YAML'))
    ).to.deep.equal([
      'cut.yaml:2: invalid YAML',
      'large.yaml: has 1048579 bytes, more than 1048576',
      'latin.yaml:2: wanted UTF-8, found the byte 0xE9: save the file as UTF-8',
      `link.yaml: is a link out of ${dags}`,
      'ok.yml: there is a .yaml of the same name',
      'team/: is a folder with definitions',
      'two words.yaml: no definition can have this file name here'
    ])
    expect(readFileSync(join(to, 'dags', 'inside.yaml'), 'utf8')).to.contain('name: ok')
  })

  it('names, ids and statuses that no run can have here are named; no path is made of them', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    const change = (id: string, change: (text: string) => string) => {
      const file = statusOf(from, id)
      writeFileSync(file, change(readFileSync(file, 'utf8')))
    }
    change('ok-1', (text) => text.replace('"dagRunId":"ok-1"', '"dagRunId":"../../../etc"'))
    change('ok-2', (text) => text.replace('"name":"ok","dagRunId"', '"name":"a/b","dagRunId"'))
    change('broken-1', (text) => text.replace(/"status":2,"workerId"/, '"status":99,"workerId"'))
    const done = await importInto(to, from)
    expect(said(done, 'history', 'left')).to.deep.equal([
      'run broken-1 of broken: its status 99 is none that is known',
      'run ../../../etc of ok: no run can have this id here',
      'run ok-2 of a/b: no DAG can have the name "a/b" here'
    ])
    expect(done.runs).to.equal(4)
  })

  it('a sub DAG run with the key of another run does not take its place', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    const engine = await createEngine({ home: to, defaultShell: 'sh' })
    await engine.result(await engine.start({ spec: 'name: child\nsteps: [echo mine]\n', dagRunId: 'r1' }))
    await engine.close()
    const runs = join(from, 'data', 'dag-runs', 'parent')
    const files = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('status.jsonl')
    )
    const child = files.find((name) => name.includes('children'))?.match(/child_(\w+)/)?.[1] ?? ''
    for (const name of files)
      writeFileSync(join(runs, name), readFileSync(join(runs, name), 'utf8').replaceAll(child, 'r1'))
    const done = await importInto(to, from)
    expect(said(done, 'history', 'left')).to.deep.equal([
      'sub DAG run r1 of run parent-1 of parent: no run can have its name, its id or its status here, or another run has them'
    ])
    await storeIn(to, (store) => {
      expect(runRecord(store, { name: 'child', dagRunId: 'r1' })).to.deep.include({ trigger: { type: 'host' } })
      const calls = [...store.calls.getRange({})].flatMap(({ value }) => value.items.map(({ dagRunId }) => dagRunId))
      expect(calls).to.have.length(2).and.not.include('r1')
    })
  })

  it('a step that failed without an exit code is explained by its error', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    const file = statusOf(from, 'broken-1')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/failed to execute step [^,]*exit status 4[^"]*/, 'http status code: 404')
    )
    await importInto(to, from)
    const engine = await createEngine({ home: to, defaultShell: 'sh' })
    try {
      const reasons = engine.facts.explain({ name: 'broken', dagRunId: 'broken-1' })
      expect(JSON.stringify(reasons)).to.contain('bad failed: http status code: 404')
    } finally {
      await engine.close()
    }
  })

  it('a text that cannot be read here: the run is shown by the steps that were recorded', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    const file = join(dirname(statusOf(from, 'broken-1')), 'dag.json')
    writeFileSync(file, '{')
    const done = await importInto(to, from)
    expect(said(done, 'history', 'note')).to.include(
      'broken: 1 run with a text that cannot be read here: shown by the steps that were recorded'
    )
    const engine = await createEngine({ home: to, defaultShell: 'sh' })
    try {
      const { nodes } = await engine.result({ name: 'broken', dagRunId: 'broken-1' })
      expect(nodes.map(({ node }) => [node.step, node.status])).to.deep.include(['bad', 'failed'])
    } finally {
      await engine.close()
    }
  })

  it('values that are not what they should be end no import, leave nothing broken, and come over once only', async () => {
    const odd = ['null', '-1', '""', '[]', '{}', '99', '"../../x"', '1e999', '"a\\u0000b"', '["a",{"b":[]}]']
    for (let seed = 1; seed <= 6; seed++) {
      const { pick } = seeded(seed)
      const [from, to] = [daguHome(), temporaryFolder()]
      const files = readdirSync(join(from, 'data'), { recursive: true, encoding: 'utf8' })
      for (const name of files.filter((one) => /\.jsonl?$/.test(one))) {
        const path = join(from, 'data', name)
        const text = readFileSync(path, 'utf8')
        const { index, 0: value } = pick([...text.matchAll(/:("[^"]*"|\d+|\[[^\]]*\])/g)])
        writeFileSync(path, `${text.slice(0, index + 1)}${pick(odd)}${text.slice(index + value.length)}`)
      }
      await importInto(to, from)
      expect((await importInto(to, from)).runs, `seed ${seed}`).to.equal(0)
      const { findings } = await examine(readConfig({ home: to }, {}), systemClock)
      expect(
        findings.map(({ message }) => message),
        `seed ${seed}`
      ).to.deep.equal([])
    }
  })
})
