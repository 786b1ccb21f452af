/** An orderly end never waits for a commit that cannot come. Source: reliability P6, docs/cli.md "Signals". */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../../src/index.ts'
import { type Program, program, runningServer } from '../../../support/cli/program.ts'
import { describeRoot } from '../../../support/engine/root-only.ts'
import { temporaryFolder } from '../../../support/homes.ts'
import { onlyLast } from '../../../support/long.ts'
import { eventually } from '../../../support/waiting.ts'

/** More than any of these ends takes, less than `troupe` waits for what cannot be closed. */
const LIMIT_MS = 20_000

describeRoot('P6, D1621 on a full disk an orderly end waits for no commit', () => {
  const mounted: string[] = []
  after(() => {
    for (const folder of mounted) execFileSync('umount', ['--lazy', folder])
  })

  /** A home on a disk of 20 MB. */
  function smallDisk() {
    const folder = temporaryFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', folder])
    mounted.push(folder)
    const filling = join(folder, 'filling')
    return {
      folder,
      fill() {
        for (;;)
          try {
            appendFileSync(filling, Buffer.alloc(4_096))
          } catch {
            return
          }
      },
      free: () => rmSync(filling)
    }
  }

  /** Sends the signal and resolves with the exit code. */
  async function ended({ child, code }: Pick<Program, 'child' | 'code'>, signal: NodeJS.Signals = 'SIGTERM') {
    const since = performance.now()
    child.kill(signal)
    const found = await code
    expect(performance.now() - since).to.be.lessThan(LIMIT_MS)
    return found
  }

  const stalled = (written: { err: string }) =>
    eventually('a store that cannot be written', () => written.err.includes('WARN runs wait') || undefined)

  /** What LMDB has written stands on lines of its own. */
  const expectWholeLines = (err: string) => {
    for (const line of err.split('\n'))
      if (line.includes('Write error')) expect(line).to.match(/^Write error: [^"]* size \d+$/)
      else if (/WARN|ERROR/.test(line)) expect(line).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z (WARN|ERROR) /)
  }

  interface Shown {
    dagRuns: { dagRunId: string; statusLabel: string }[]
  }
  /** The runs of the next engine, when each has ended. */
  async function endsOf(folder: string) {
    const server = await runningServer({}, { folder })
    const runs = await eventually('the end of every run', async () => {
      const { dagRuns } = (await (await fetch(`${server.address}/api/v2/dag-runs`)).json()) as Shown
      return dagRuns.every(({ statusLabel }) => !['running', 'queued', 'not_started'].includes(statusLabel))
        ? dagRuns
        : undefined
    })
    await server.end()
    return runs.map(({ statusLabel }) => statusLabel)
  }

  for (const [what, signals] of [
    ['the first signal ends `start FILE`', ['SIGTERM']],
    ['so does a second one, sooner', ['SIGTERM', 'SIGINT']]
  ] as const)
    it(`${what}, which says what is open; the run goes on when there is space`, async () => {
      const disk = smallDisk()
      const file = join(disk.folder, 'um.yaml')
      const go = join(temporaryFolder(), 'go')
      writeFileSync(file, `steps: [{command: 'while [ ! -e ${go} ]; do sleep 0.1; done'}, {command: echo hi}]\n`)
      const env = { ENGINE_HOME: disk.folder }
      const started = program(disk.folder, env, 'start', file)
      await eventually('a run', () => existsSync(join(disk.folder, 'logs', 'um')) || undefined)
      await eventually('a step at work', () => started.written.err.includes('running') || undefined)
      disk.fill()
      writeFileSync(go, '')
      await stalled(started.written)
      const [first, second] = signals
      if (second) {
        started.child.kill(first)
        await eventually('an answer', () => started.written.err.includes('stopping;') || undefined)
      }
      expect(await ended(started, second ?? first)).to.equal(130)
      const { err } = started.written
      if (!second) expect(err).to.match(/the end of the run cannot be stored/)
      if (!second) expect(err).to.match(/left: .*the next engine on this home continues the run/)
      if (!second) expect(err).to.match(/WARN the end was not stored.* open=1 runs=\["um [\w-]+"\]\n/)
      expectWholeLines(err)
      expect(err.match(/Write error/g)?.length ?? 0, 'LMDB is not asked while there is no space').to.be.lessThan(3)
      disk.free()
      expect((await endsOf(disk.folder)).length).to.equal(1)
    })

  for (const shutdown of onlyLast(['leave', 'stop']))
    it(`start-all ends with a run whose step ended meanwhile, ENGINE_SHUTDOWN=${shutdown}; nothing that was acknowledged is lost`, async () => {
      const disk = smallDisk()
      const go = join(temporaryFolder(), 'go')
      const server = await runningServer({ ENGINE_SHUTDOWN: shutdown }, { folder: disk.folder })
      const spec = `name: two\nsteps: [{command: 'while [ ! -e ${go} ]; do sleep 0.1; done'}, {command: echo hi}]\n`
      const answer = await fetch(`${server.address}/api/v2/dag-runs`, {
        method: 'POST',
        body: JSON.stringify({ spec })
      })
      expect(answer.status).to.equal(200)
      disk.fill()
      writeFileSync(go, '')
      await stalled(server.written)
      // Nobody is told that it exists.
      const unanswered = fetch(`${server.address}/api/v2/dag-runs`, { method: 'POST', body: JSON.stringify({ spec }) })
        .then(({ status }) => status)
        .catch(() => 'hung up')
      expect(await ended(server)).to.equal(0)
      expect(await unanswered).to.be.oneOf([503, 'hung up'])
      expect(server.written.err).to.match(/WARN the end was not stored: .* open=1 runs=\["two [\w-]+"\]\n/)
      expectWholeLines(server.written.err)
      disk.free()
      expect(await endsOf(disk.folder)).to.deep.equal(['succeeded'])
    })

  it('an embedded engine closes, and can be opened here again when there is space', async () => {
    const disk = smallDisk()
    const go = join(temporaryFolder(), 'go')
    const said: string[] = []
    const note = (text: string) => void said.push(text)
    const log = { debug: note, info: note, warn: note, error: note }
    const engine = await createEngine({ home: disk.folder, log })
    const spec = `name: two\nsteps: [{command: 'while [ ! -e ${go} ]; do sleep 0.1; done'}, {command: echo hi}]\n`
    const { dagRunId } = await engine.start({ spec })
    disk.fill()
    writeFileSync(go, '')
    await eventually(
      'a store that cannot be written',
      () => said.some((text) => text.startsWith('runs wait')) || undefined
    )
    const result = engine.result({ name: 'two', dagRunId }).catch((error) => error.code)
    const since = performance.now()
    await engine.close()
    expect(performance.now() - since).to.be.lessThan(LIMIT_MS)
    expect(await result).to.equal('service_unavailable')
    expect(said).to.include('the end was not stored: the next engine goes on from what is stored')
    disk.free()
    const next = await createEngine({ home: disk.folder })
    const { run } = await next.result({ name: 'two', dagRunId })
    expect(run.status).to.equal('succeeded')
    await next.close()
  })
})
