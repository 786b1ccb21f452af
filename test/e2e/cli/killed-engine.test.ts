/** What commands show that read a home whose engine was killed: all that it had decided. Source: reliability P1; docs/cli.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { entriesIn } from '../../../src/store/disk/write-ahead.ts'
import { called as command } from '../../support/cli/called.ts'
import { program, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { heldWriter } from '../../support/store/held-writer.ts'
import { eventually } from '../../support/waiting.ts'

describe('commands that read a home whose engine was killed', () => {
  const folders: string[] = []
  after(() => {
    for (const folder of folders) writeFileSync(join(folder, 'go'), '') // no step is left behind
  })
  /** A home with the run r1 of `etl`, whose step is at work, and which only the write-ahead file knows. */
  async function killed() {
    const folder = temporaryFolder()
    folders.push(folder)
    const began = join(folder, 'began')
    writeFileSync(
      join(folder, 'etl.yaml'),
      `steps:\n  - name: work\n    command: sh -c 'echo began; touch ${began}; while [ -d ${folder} ] && [ ! -e ${folder}/go ]; do sleep 0.1; done'\n`
    )
    const server = await runningServer({ ENGINE_DAGS_DIR: folder }, { folder })
    const data = join(folder, 'data')
    const release = await heldWriter(data)
    try {
      const answered = new AbortController()
      void fetch(`${server.address}/api/v2/dags/etl/start`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ dagRunId: 'r1' }),
        signal: answered.signal
      }).catch(() => {})
      await eventually('its step is at work', () => existsSync(began) || undefined)
      server.child.kill('SIGKILL')
      await server.code
      answered.abort()
    } finally {
      await release()
    }
    expect(entriesIn(join(data, 'write-ahead'))).not.to.deep.equal([])
    const done = (...argv: string[]) => command(folder, { ENGINE_HOME: folder }, ...argv)
    /** Its step ends, and the run with it. */
    const ended = async () => {
      writeFileSync(join(folder, 'go'), '')
      const engine = await createEngine({ home: folder })
      try {
        return (await engine.result({ name: 'etl', dagRunId: 'r1' })).run.status
      } finally {
        await engine.close()
      }
    }
    return { folder, data, done, ended }
  }

  it('runs, status, logs and events know what it had decided, and the next engine goes on from there', async () => {
    const { done, ended } = await killed()
    const runs = await done('runs', '--json')
    expect(JSON.parse(runs.out).dagRuns.map(({ dagRunId }: { dagRunId: string }) => dagRunId)).to.deep.equal(['r1'])
    expect((await done('status', 'etl')).out).to.match(/● work/)
    expect((await done('logs', 'etl')).out).to.contain('began')
    expect((await done('events', 'etl')).out).to.contain('work')
    expect(await ended()).to.equal('succeeded')
    expect((await done('status', 'etl')).out).to.match(/✓ work/)
  })
  itLong('the file itself is left to the next engine, and the doctor counts nothing twice', async () => {
    const { data, done } = await killed()
    const notes = async () => JSON.parse((await done('doctor', '--json')).out).findings as { message: string }[]
    const inFile = async () => (await notes()).some(({ message }) => message.includes('write-ahead'))
    expect(await inFile()).to.equal(true)
    const left = readFileSync(join(data, 'write-ahead'))
    expect((await done('runs')).out).to.contain('r1')
    expect(readFileSync(join(data, 'write-ahead'))).to.deep.equal(left)
    expect(await inFile()).to.equal(false)
    expect((await done('runs')).err).to.equal('')
  })
  it('a store that cannot be written is read as it is, and a warning says so', async () => {
    const { data, done } = await killed()
    // After two early deaths the next engine has the store read by another process before it writes to it.
    writeFileSync(join(data, 'life'), JSON.stringify({ deaths: 2, state: 'young' }))
    const { code, out, err } = await done('runs')
    expect({ code, out }).to.deep.equal({ code: 0, out: 'no run matches\n' })
    expect(err).to.match(/^warning: the latest decisions of the engine .* are not shown: the store may be damaged/)
  })
  it('an engine that is there is waited for: another process that reads does not write beside it', async () => {
    const folder = temporaryFolder()
    const engine = await createEngine({ home: folder })
    try {
      const spec = 'name: etl\nsteps:\n  - command: echo hi\n'
      const runs = Array.from({ length: 30 }, () => engine.start({ spec, unlimited: true }))
      const { code, written } = program(folder, { ENGINE_HOME: folder }, 'runs', '--limit', '100')
      expect([await code, written.err]).to.deep.equal([0, ''])
      for (const run of await Promise.all(runs)) await engine.result(run)
    } finally {
      await engine.close()
    }
  })

  it('events --follow and logs --follow say that they wait, and go on with the next engine, on a home and with --url', async () => {
    const folder = temporaryFolder()
    folders.push(folder)
    const step = `sh -c 'echo one; while [ -d ${folder} ] && [ ! -e ${folder}/go ]; do sleep 0.1; done; echo two'`
    writeFileSync(join(folder, 'etl.yaml'), `steps:\n  - name: work\n    command: ${step}\n`)
    const first = await runningServer({ ENGINE_DAGS_DIR: folder }, { folder })
    const called = (...argv: string[]) => program(folder, { ENGINE_HOME: folder }, ...argv)
    await called('enqueue', 'etl', '-r', 'r1', '-q').code
    const elsewhere = ['--url', first.address]
    const followers = [
      called('events', 'etl', '-f'),
      called('events', 'etl', '-f', ...elsewhere),
      called('logs', 'etl', '-f'),
      called('logs', 'etl', '-f', ...elsewhere)
    ]
    const [events, eventsThere, logs, logsThere] = followers.map(({ written }) => written)
    await eventually('all have begun', () =>
      followers.every(({ written }) => /work|one/.test(written.out)) ? true : undefined
    )
    first.child.kill('SIGKILL')
    await first.code
    await eventually('they say so', () => {
      const isSaid =
        events?.err.includes('waiting') && eventsThere?.err.includes('waiting') && logsThere?.err.includes('waiting')
      return isSaid || undefined
    })
    const argv = ['--port', new URL(first.address).port]
    const next = await runningServer({ ENGINE_DAGS_DIR: folder }, { folder, argv })
    try {
      writeFileSync(join(folder, 'go'), '')
      expect(await Promise.all(followers.map(({ code }) => code))).to.deep.equal([0, 0, 0, 0])
    } finally {
      await next.end()
    }
    expect(eventsThere?.out).to.equal(events?.out)
    expect(events?.out).to.match(/succeeded/)
    const numbers = (events?.out ?? '').split('\n').flatMap((line) => /^ *(\d+) /.exec(line)?.[1] ?? [])
    expect(numbers).to.deep.equal([...new Set(numbers)])
    for (const { out } of [logs, logsThere].flatMap((written) => written ?? []))
      expect(out).to.equal('work | one\nwork | two\n')
    expect(events?.err).to.equal('the engine of this home has ended; waiting 15 s for the next one\n')
    expect(eventsThere?.err).to.match(/^no server answers at .*; waiting for it\n$/)
  })
})
