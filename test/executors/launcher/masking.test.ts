/** Steps whose secrets are masked by a process beside them. Source: execution-semantics 14.4.6, 14.4.8; architecture 4. */
import { createReadStream, existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import type { Execution, Executor } from '../../../src/executors/executor.ts'
import { type Launcher, openLauncher } from '../../../src/executors/launcher/launcher.ts'
import { marksFrom } from '../../../src/executors/launcher/marks.ts'
import { nativeLauncher } from '../../../src/executors/launcher/native-binary.ts'
import { UNCOPIED } from '../../../src/executors/launcher/uncopied.ts'
import { shell } from '../../../src/executors/shell/shell.ts'
import { type Secrets, secretsOf, uncoverBytes } from '../../../src/masking/secrets.ts'
import { step } from '../../support/charts/plans.ts'
import { textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { listening } from '../../support/listening.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

const PATH = process.env.PATH ?? '/usr/bin:/bin'
const MASK = '*******'

describe('shell executor › a step with secrets', () => {
  const folder = temporaryFolder()
  const token = 'canary-9f27bd5c'
  const secrets = secretsOf({ TOKEN: token, NAME: `it's "odd"\n$HOME \`x\` ä` })
  let own: string
  let launcher: Launcher
  let executor: Executor
  let count = 0
  beforeEach(() => {
    own = join(temporaryFolder(), 'own')
    launcher = openLauncher({
      folder: own,
      environment: { PATH },
      starting: 16,
      clock: systemClock,
      native: nativeLauncher()
    })
    executor = shell(launcher, systemClock)
  })
  afterEach(() => launcher.close())

  const execution = (command: string, given: Partial<Execution> = {}, masked: Secrets = secrets): Execution => {
    const base = join(folder, `step-${++count}`)
    return {
      step: step('step'),
      command,
      args: [],
      shells: { fallback: 'sh' },
      workingDir: folder,
      env: { PATH, ...masked.values },
      stdout: `${base}.out`,
      stderr: `${base}.err`,
      state: `${base}.1`,
      masking: { secrets: masked, marks: true },
      ...given
    }
  }

  it('14.4.6 both logs and both copies are masked, whatever characters the value has', async () => {
    const copies = { stdout: join(folder, "a copy's.txt"), stderr: join(folder, 'e.txt') }
    const one = execution('echo "$TOKEN" "$NAME"; echo "$NAME" >&2; exit 5', { copies })
    expect(await executor.start(one).ended).to.deep.include({ exitCode: 5, offset: 0 })
    expect([textOf(one.stdout), textOf(one.stderr)]).to.deep.equal([`${MASK} ${MASK}\n`, `${MASK}\n`])
    expect([textOf(copies.stdout), textOf(copies.stderr)]).to.deep.equal([textOf(one.stdout), textOf(one.stderr)])
  })

  it('a step whose log cannot be opened is not begun, as one without secrets', async () => {
    const begun = join(folder, 'begun')
    for (const stream of ['stdout', 'stderr'] as const) {
      const one = execution(`touch '${begun}'`, { [stream]: folder })
      expect(await executor.start(one).ended, stream).to.include({ exitCode: 2 })
      expect(existsSync(begun), stream).to.equal(false)
    }
    const whole = execution(`touch '${begun}'`)
    expect(await executor.start(whole).ended).to.include({ exitCode: 0 })
    expect([whole.stdout, whole.stderr].map((path) => statSync(path).mode & 0o777)).to.deep.equal([0o600, 0o600])
  })

  it('4.5.2 a copy that cannot be written fails a step that succeeded, by name; a code of its own stays', async () => {
    const copies = { stderr: '/dev/full' }
    const one = execution('echo "$TOKEN" >&2; echo out', { copies })
    const cause = 'the copy of stderr could not be written: /dev/full'
    expect(await executor.start(one).ended).to.include({ exitCode: UNCOPIED, cause })
    expect([textOf(one.stdout), textOf(one.stderr)]).to.deep.equal(['out\n', `${MASK}\n`])
    const failed = await executor.start(execution('echo "$TOKEN" >&2; exit 5', { copies })).ended
    expect(failed).to.include({ exitCode: 5 }).and.not.to.have.property('cause')
  })

  it('14.4.6 a value in two writes 200 ms apart is masked; what only begins like one is there within a second', async () => {
    const one = execution(
      `printf canary-9; sleep 0.2; echo f27bd5c; printf canary; while [ ! -e go ]; do sleep 0.05; done`
    )
    const running = executor.start(one)
    await eventually('the tail', () => (textOf(one.stdout) === `${MASK}\ncanary` ? true : undefined))
    writeFileSync(join(folder, 'go'), '')
    expect(await running.ended).to.include({ exitCode: 0 })
  })

  it('14.4.8 the marks give back what was captured, also of a second execution in the same log', async () => {
    const one = execution('echo "<$TOKEN> ******* $NAME"')
    await executor.start(one).ended
    const { offset } = await executor.start({ ...one, state: `${one.state}x` }).ended
    const logged = readFileSync(one.stdout)
    const clear = `<${token}> ******* ${secrets.values.NAME}\n`
    expect(uncoverBytes(logged, await marksFrom(one.stdout, 0), secrets.values).toString()).to.equal(clear + clear)
    const second = uncoverBytes(logged.subarray(offset), await marksFrom(one.stdout, offset), secrets.values)
    expect(second.toString()).to.equal(clear)
    expect(textOf(`${one.stdout}.marks`)).to.not.contain('canary')
  })

  it('no file of the launcher holds a value while the step runs, and nothing is left of its pipes', async () => {
    const one = execution('echo $TOKEN; while [ ! -e done ]; do sleep 0.05; done')
    const running = executor.start(one)
    await running.began
    await eventually('output', () => (textOf(one.stdout) ? true : undefined))
    for (const name of readdirSync(own))
      if (!statSync(join(own, name)).isFIFO()) expect(textOf(join(own, name)), name).to.not.contain(token)
    expect(readdirSync(own).filter((name) => name.startsWith('j'))).to.deep.equal([])
    writeFileSync(join(folder, 'done'), '')
    await running.ended
  })

  it('values of a megabyte, as many as there are, reach the process that masks', async () => {
    const large = 'x'.repeat(300_000)
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`S${index}`, `value-${index}-end`]))
    const one = execution('cat large; echo value-499-end', { env: { PATH } }, secretsOf({ LARGE: large, ...many }))
    writeFileSync(join(folder, 'large'), large)
    expect(await executor.start(one).ended).to.include({ exitCode: 0 })
    expect(textOf(one.stdout)).to.equal(`${MASK}${MASK}\n`)
  })

  it('4.1.9 a grandchild that keeps the pipes holds up the end for two seconds, not longer; what was held back is written', async function () {
    this.retries(WHEN_BUSY)
    const one = execution('sleep 30 & echo $!; printf canary')
    const begun = Date.now()
    await executor.start(one).ended
    expect(Date.now() - begun).to.be.within(1_900, 6_000)
    const [pid = '', rest] = textOf(one.stdout).split('\n')
    process.kill(Number(pid))
    expect(rest).to.equal('canary')
  })

  it('a masking process that is slower than the step loses nothing: its two seconds begin when it has heard of the end', async () => {
    const one = execution(
      'touch at-work; while [ ! -e stopped ]; do sleep 0.05; done; seq 3000; echo $TOKEN; sleep 30 & echo $!'
    )
    const running = executor.start(one)
    await eventually('the step', () => existsSync(join(folder, 'at-work')) || undefined) // it has its log open, too, until it is executed
    const pid = Number(await eventually('the process', () => maskerOf(one.stdout)))
    process.kill(pid, 'SIGSTOP')
    // As at a shutdown, or from who tells a whole service something: it goes on, and opens no debugger.
    for (const signal of ['HUP', 'INT', 'QUIT', 'TERM', 'USR1', 'USR2', 'ALRM']) process.kill(pid, `SIG${signal}`)
    writeFileSync(join(folder, 'stopped'), '')
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    process.kill(pid, 'SIGCONT')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(listening(pid)).to.deep.equal([])
    await running.ended
    const lines = textOf(one.stdout).trim().split('\n')
    process.kill(Number(lines.pop()))
    expect(lines).to.have.length(3_001).and.include(MASK)
  })

  it('a step whose masking process is killed writes nothing in clear', async () => {
    const one = execution(
      'echo "$TOKEN"; touch wrote; while [ ! -e on ]; do sleep 0.05; done; echo "$TOKEN"; echo "$TOKEN"'
    )
    const running = executor.start(one)
    await eventually('output', () => (textOf(one.stdout) ? true : undefined))
    process.kill(Number(maskerOf(one.stdout)), 'SIGKILL')
    writeFileSync(join(folder, 'on'), '')
    await running.ended
    expect(textOf(one.stdout)).to.equal(`${MASK}\n`)
  })

  it('100 MB pass through, masked, in linear time', async () => {
    const one = execution(
      'awk \'BEGIN { for (i = 0; i < 1000000; i++) printf "%07d some words of a log line, then the token, then more of it and the end of the %s\\n", i, ENVIRON["TOKEN"] }\'',
      { masking: { secrets, marks: false } }
    )
    await executor.start(one).ended
    let bytes = 0
    let found = 0
    for await (const chunk of createReadStream(one.stdout, { encoding: 'latin1' })) {
      bytes += (chunk as string).length
      if ((chunk as string).includes('canary')) found++
    }
    expect([bytes, found]).to.deep.equal([93_000_000, 0])
  })
})

/** Pid of the process that writes a log. */
const maskerOf = (log: string): string | undefined =>
  readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && opens(pid, log))

function opens(pid: string, path: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === path)
  } catch {
    return false // it has ended, or has closed a file meanwhile
  }
}
