/** The launcher beside a plain start by node's child_process: nothing may differ. Source: architecture 4, reliability 3.1. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { type Clock, systemClock } from '../../src/clock.ts'
import { type Job, jobFiles } from '../../src/executors/job.ts'
import { type Launched, type Launcher, openLauncher } from '../../src/executors/launcher.ts'
import { launcherPlaces } from '../../src/executors/launcher-folder.ts'
import { claim, readState } from '../../src/executors/state-file.ts'
import { temporaryFolder } from '../support/homes.ts'
import { textOf } from '../support/live.ts'
import { gone, lives, pidIn } from '../support/processes.ts'
import { eventually } from '../support/waiting.ts'

const ENVIRONMENT = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: '/', LC_TROUPE: 'of the keeper' }
const SH = ['sh', '-c']
const sh = (text: string) => [...SH, text]
/** Looks that are 5 s apart in earnest are 0.1 s apart. */
const hurried: Clock = { ...systemClock, at: (dueAt, ring) => systemClock.at(Math.min(dueAt, Date.now() + 100), ring) }

interface Outcome {
  exitCode: number
  signaled: boolean
  stdout: string
  stderr: string
}

describe('launcher', () => {
  const folder = temporaryFolder()
  const open = (starting = 16, environment: Record<string, string> = ENVIRONMENT) =>
    openLauncher(join(temporaryFolder(), 'own'), environment, starting, hurried)
  let launcher: Launcher
  let count = 0
  before(() => {
    launcher = open()
  })
  after(() => launcher.close())

  const jobOf = (given: Partial<Job> & { argv: string[] }): Job & { state: string } => {
    const base = join(folder, `job-${++count}`)
    return {
      cwd: folder,
      env: { PATH: ENVIRONMENT.PATH },
      stdout: `${base}.out`,
      stderr: `${base}.err`,
      state: `${base}.state`,
      offset: 0,
      ...given
    }
  }
  async function outcome(job: Job, { ended }: Launched): Promise<Outcome> {
    const { exitCode, signaled } = await ended
    return { exitCode, signaled, stdout: textOf(job.stdout), stderr: textOf(job.stderr) }
  }
  function launched(given: Partial<Job> & { argv: string[] }): Promise<Outcome> {
    const job = jobOf(given)
    return outcome(job, launcher.launch(job))
  }
  /** The same by node, in a session of its own. */
  async function plain({
    argv: [program = '', ...args],
    cwd = folder,
    env = { PATH: ENVIRONMENT.PATH }
  }: Partial<Job> & { argv: string[] }): Promise<Outcome> {
    const base = join(folder, `plain-${++count}`)
    const [stdout, stderr] = [openSync(`${base}.out`, 'a'), openSync(`${base}.err`, 'a')]
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', stdout, stderr] })
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    closeSync(stdout)
    closeSync(stderr)
    const exitCode = signal ? 128 + constants.signals[signal] : (code ?? Number.NaN)
    return { exitCode, signaled: signal !== null, stdout: textOf(`${base}.out`), stderr: textOf(`${base}.err`) }
  }

  describe('conforms to a plain sh -c', () => {
    const commands: Record<string, string> = {
      quotes: `printf '<%s>' "it's" 'say "hi"' \\\\ '\\' "\\$HOME" '$HOME' \\"`,
      newlines: `printf 'a\nb'\nprintf '%s' "x\ny"\n\n# comment\necho last`,
      'here-document': `cat <<'END'\n$HOME \`x\` "q"\nEND\necho`,
      'no newline at the end': 'printf x',
      '$0 and $#': 'echo "$0" $#',
      'control characters': "printf '%s' '\u0001\u0007\u001b[0m\t\r' | od -c",
      unicode: "printf '%s' 'ä€😀\u2028'",
      'a long line': `echo ${'x'.repeat(100_000)} | wc -c`,
      'working directory': 'pwd; pwd -P; echo "$PWD"; echo "${OLDPWD-unset}"',
      umask: 'umask; touch mask-$$; stat -c %a mask-$$; rm mask-$$',
      limits: 'ulimit -a; ulimit -Ha',
      priority: 'nice; cat /proc/$$/oom_score_adj',
      'stdin is the null device': 'readlink /proc/$$/fd/0; cat; echo end',
      'file descriptors': 'ls /proc/$$/fd',
      'signals that are ignored, blocked or caught':
        'while read -r line; do case "$line" in Sig[IBC]*|NoNew*|Seccomp*) echo "$line";; esac; done </proc/$$/status',
      'traps on the way in':
        'trap; (sleep 0.01; kill -INT $$) & trap "echo caught; exit 3" INT; while :; do sleep 0.01; done',
      'a closed pipe': '{ yes; echo $? >&2; } | head -n 1',
      'background work': '(sleep 0.02; echo later) & echo now; wait',
      'errors on stderr': 'echo out; echo err >&2; no-such-command-here; cd /nowhere',
      'set -e': 'set -e; false; echo no',
      'syntax error': 'echo "unclosed',
      'variables of the keeper':
        'echo "${LC_TROUPE-unset} ${HOME-unset} ${state-unset} ${job-unset} ${stat-unset} ${code-unset}"; set | grep -i troupe'
    }
    for (const [name, text] of Object.entries(commands))
      it(name, async () => {
        const [ours, theirs] = await Promise.all([launched({ argv: sh(text) }), plain({ argv: sh(text) })])
        expect(ours).to.deep.equal(theirs)
      })

    it('exit codes 0 to 255', async () => {
      const codes = [0, 1, 2, 3, 124, 125, 126, 127, 128, 129, 130, 137, 141, 143, 200, 254, 255]
      const outcomes = await Promise.all(codes.map((code) => launched({ argv: sh(`exit ${code}`) })))
      expect(outcomes.map(({ exitCode }) => exitCode)).to.deep.equal(codes)
      expect(outcomes.filter(({ signaled }) => signaled)).to.deep.equal([])
    })

    it('ends by signals; SIGINT and SIGPIPE show as codes, which no shell tells apart', async () => {
      const names = ['HUP', 'ABRT', 'KILL', 'USR1', 'USR2', 'SEGV', 'ALRM', 'TERM', 'INT', 'PIPE'] as const
      const argv = (name: string) => sh(`ulimit -c 0; kill -${name} $$; echo survived`)
      const [ours, theirs] = await Promise.all([
        Promise.all(names.map((name) => launched({ argv: argv(name) }))),
        Promise.all(names.map((name) => plain({ argv: argv(name) })))
      ])
      expect(ours.map(({ exitCode, stdout }) => [exitCode, stdout])).to.deep.equal(
        theirs.map(({ exitCode, stdout }) => [exitCode, stdout])
      )
      expect(names.filter((_, index) => ours[index]?.signaled)).to.deep.equal(names.slice(0, 8))
    })

    it('$$ is the leader of its own session and group, apart from every other', async () => {
      const text = 'read -r pid comm state ppid pgrp session rest </proc/$$/stat; echo $$ $pgrp $session'
      const outcomes = await Promise.all([1, 2, 3].map(() => launched({ argv: sh(text) })))
      const leaders = outcomes.map(({ stdout }) => {
        const [leader, ...group] = stdout.trim().split(' ')
        expect(group).to.deep.equal([leader, leader])
        return leader
      })
      expect(new Set(leaders).size).to.equal(3)
    })

    it('programs that cannot be executed: 127 and 126; a folder that is gone: 1', async () => {
      writeFileSync(join(folder, 'plain-file'), '')
      const outcomes = await Promise.all([
        launched({ argv: ['no-such-program'] }),
        launched({ argv: [join(folder, 'plain-file')] }),
        launched({ argv: [folder] }),
        launched({ argv: sh('echo no'), cwd: join(folder, 'gone') })
      ])
      expect(outcomes.map(({ exitCode, signaled }) => [exitCode, signaled])).to.deep.equal([
        [127, false],
        [126, false],
        [126, false],
        [1, false]
      ])
      for (const { stdout, stderr } of outcomes) expect([stdout, stderr === '']).to.deep.equal(['', false])
    })

    it('working directories with blanks, quotes, newlines and a leading dash', async () => {
      for (const name of ['with blank', `it's "odd"`, 'new\nline', '-dash', '$HOME `x`', '* ? [a]']) {
        const cwd = join(folder, name)
        mkdirSync(cwd)
        const [ours, theirs] = await Promise.all([
          launched({ argv: sh('printf %s "$(pwd -P)"'), cwd }),
          plain({ argv: sh('printf %s "$(pwd -P)"'), cwd })
        ])
        expect(ours).to.deep.equal(theirs)
        expect(ours.stdout).to.equal(cwd)
      }
    })

    it('arguments as they are', async () => {
      const args = [
        '',
        ' ',
        "'",
        '"',
        '\\',
        '$HOME',
        '`x`',
        '*',
        '-n',
        '--',
        'a\nb',
        'ä',
        '\u0007',
        '=',
        'A=b',
        '!',
        '#',
        '~',
        '{a,b}'
      ]
      const { stdout } = await launched({ argv: ['printf', '%s\\0', ...args] })
      expect(stdout.split('\0').slice(0, -1)).to.deep.equal(args)
    })

    it('a NUL character is refused with a reason', async () => {
      const failures = await Promise.allSettled([
        launched({ argv: sh('echo a\0b') }),
        launched({ argv: sh('echo'), env: { A: 'a\0b' } })
      ])
      const reasons = failures.map((failure) =>
        failure.status === 'rejected' ? String(failure.reason.message) : 'none'
      )
      expect(reasons[0]).to.contain('its command holds a NUL character')
      expect(reasons[1]).to.contain('the variable A holds a NUL character')
    })
  })

  describe('environment exactly as asked', () => {
    const environmentOf = async (env: Record<string, string>) => {
      const { stdout, stderr } = await launched({ argv: ['/usr/bin/env', '-0'], env })
      expect(stderr).to.equal('')
      const entries = stdout.split('\0').slice(0, -1)
      const found = entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)])
      // A bash that serves as sh counts itself in SHLVL.
      return Object.fromEntries(found.filter(([name = '']) => name in env || name !== 'SHLVL'))
    }

    const USED_BY_SHELLS =
      'IFS OPTIND PPID UID PS1 PS4 PATH HOME MAIL ENV LINENO PWD OLDPWD RANDOM SHLVL _ stat code stdout job state signaled'.split(
        ' '
      )

    it('names that a shell would not take, such as 1, and names that a shell uses itself', async () => {
      const env: Record<string, string> = { '1': 'one', 'a.b': 'dot', 'a b': 'blank', 'x-y': 'dash', "q'": 'quote' }
      for (const name of USED_BY_SHELLS) env[name] = `value of ${name}`
      expect(await environmentOf(env)).to.deep.equal(env)
    })

    it('nothing but what was asked for', async () => {
      expect(await environmentOf({})).to.deep.equal({})
      expect(await environmentOf({ LC_TROUPE: ENVIRONMENT.LC_TROUPE })).to.deep.equal({
        LC_TROUPE: ENVIRONMENT.LC_TROUPE
      })
    })

    const wellFormed = (text: string) => Buffer.from(text).toString() === text

    it('property: any value arrives unchanged under any name', async () => {
      const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.replaceAll('\0', ''))
      const nasty = fc.string({
        unit: fc.constantFrom(
          "'",
          '"',
          '\\',
          '$',
          '`',
          '\n',
          ' ',
          '!',
          ';',
          '&',
          '|',
          '(',
          '*',
          '=',
          '\u0001',
          '\u0081'
        ),
        maxLength: 30
      })
      const name = fc
        .oneof(fc.stringMatching(/^[A-Za-z_]\w{0,10}$/), fc.stringMatching(/^[^=\0]{1,8}$/))
        .filter((name) => wellFormed(name))
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(name, fc.oneof(text, nasty).filter(wellFormed), { maxKeys: 8 }),
          async (given) => {
            const env = { ...given } // a null prototype differs
            expect(await environmentOf(env)).to.deep.equal(env)
          }
        ),
        { numRuns: 100 }
      )
    })
  })

  describe('starts', () => {
    it('at most so many jobs are in the starting window; those that wait can be withdrawn', async () => {
      const narrow = open(1)
      try {
        const first = jobOf({ argv: sh('exit 3') })
        execFileSync('mkfifo', [first.state]) // a record that cannot be opened yet keeps the job in the window
        const held = narrow.launch(first)
        const others = [jobOf({ argv: sh('echo 1') }), jobOf({ argv: sh('echo 2') }), jobOf({ argv: sh('echo 3') })]
        const [second, third, fourth] = others.map((job) => narrow.launch(job))
        await eventually('the first to be sent', () => (narrow.waiting === 3 ? true : undefined))
        await new Promise((resolve) => setTimeout(resolve, 100))
        expect(narrow.waiting).to.equal(3)
        expect(others.filter(({ stdout }) => existsSync(stdout))).to.deep.equal([])
        expect([third?.withdraw(), held.withdraw()]).to.deep.equal([true, false])
        expect(await third?.ended).to.include({ exitCode: 143, signaled: true })
        const record = openSync(first.state, 'r+')
        await held.began
        expect(await held.ended).to.include({ exitCode: 3 })
        expect((await Promise.all([second?.ended, fourth?.ended])).map((end) => end?.exitCode)).to.deep.equal([0, 0])
        const [, withdrawn] = others
        expect(existsSync(withdrawn?.stdout ?? '')).to.equal(false)
        expect(readSync(record, Buffer.alloc(4_096))).to.be.above(0)
        closeSync(record)
        expect(narrow.waiting).to.equal(0)
      } finally {
        await narrow.close()
      }
    })

    it('300 concurrent sleepers', async () => {
      const gate = join(folder, 'gate')
      execFileSync('mkfifo', [gate])
      const jobs = Array.from({ length: 300 }, () => jobOf({ argv: sh(`: <${gate}; exit 7`) }))
      const all = jobs.map((job) => launcher.launch(job))
      await Promise.all(all.map(({ began }) => began))
      expect(jobs.filter(({ state }) => readState(state).state === 'alive')).to.have.length(300)
      const opened = openSync(gate, 'r+')
      const ends = await Promise.all(all.map(({ ended }) => ended))
      closeSync(opened)
      expect(ends.filter(({ exitCode, signaled }) => exitCode === 7 && !signaled)).to.have.length(300)
      const records = jobs.map(({ state }) => readState(state))
      expect(records.filter((found) => found.state === 'ended' && found.end.exitCode === 7)).to.have.length(300)
    })

    it('a job whose record is there already does not run', async () => {
      const job = jobOf({ argv: sh('echo no') })
      claim(job.state)
      const failure = await launcher.launch(job).ended.catch((error: Error) => error)
      expect(failure).to.have.property('message', 'the step was settled by another engine')
      expect(textOf(job.stdout)).to.equal('')
    })

    it('without the programs it needs every start fails with the reason', async () => {
      const bare = join(temporaryFolder(), 'bin')
      mkdirSync(bare)
      for (const PATH of [bare, join(bare, 'with-sh')]) {
        if (PATH !== bare) {
          mkdirSync(PATH)
          symlinkSync('/bin/sh', join(PATH, 'sh'))
        }
        const poor = open(4, { PATH })
        try {
          for (const argv of [sh('echo 1'), sh('echo 2')]) {
            const failure = await poor.launch(jobOf({ argv })).ended.catch((error: Error) => error)
            expect(failure).to.have.property('code', 'internal_error')
            expect((failure as Error).message).to.contain('steps cannot be started')
          }
        } finally {
          await poor.close()
        }
      }
    })
  })

  describe('outlives what may die', () => {
    /** The mother among our children. */
    const motherOf = (own: string): number => {
      for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        const [, , , ppid] = textIfAny(`/proc/${entry}/stat`).split(' ')
        if (Number(ppid) === process.pid && textIfAny(`/proc/${entry}/cmdline`).includes(`\0mother\0${own}`))
          return Number(entry)
      }
      throw new Error('there is no mother')
    }
    const textIfAny = (path: string): string => {
      try {
        return readFileSync(path, 'utf8')
      } catch {
        return ''
      }
    }
    /** Keepers come in batches of eight. */
    const allKeepers = (own: string): Promise<number[]> =>
      eventually('all keepers', () => {
        const files = readdirSync(own).filter((name) => name.endsWith('.pid'))
        const pids = files.map((name) => Number(readFileSync(join(own, name), 'utf8')))
        return pids.length === 8 && pids.every((pid) => pid > 0) ? pids : undefined
      })
    const parentOf = (pid: number) => Number(textIfAny(`/proc/${pid}/stat`).split(' ')[3])

    it('a mother that is killed is replaced; running steps are still reported', async () => {
      const own = join(temporaryFolder(), 'own')
      const orphaned = openLauncher(own, ENVIRONMENT, 16, hurried)
      try {
        const running = jobOf({ argv: sh(`while [ ! -e ${folder}/mother-gone ]; do sleep 0.02; done; exit 9`) })
        const held = orphaned.launch(running)
        await held.began
        for (let round = 0; round < 2; round++) {
          const mother = motherOf(own)
          process.kill(mother, 'SIGKILL')
          await gone(mother)
          const jobs = Array.from({ length: 20 }, (_, index) => jobOf({ argv: sh(`sleep 0.1; exit ${index}`) }))
          const ends = await Promise.all(jobs.map((job) => orphaned.launch(job).ended))
          expect(ends.map(({ exitCode }) => exitCode)).to.deep.equal(jobs.map((_, index) => index))
        }
        writeFileSync(join(folder, 'mother-gone'), '')
        expect(await held.ended).to.include({ exitCode: 9, signaled: false })
      } finally {
        await orphaned.close()
      }
    })

    it('a keeper that is killed: its step lives on, the outcome is taken from the record', async () => {
      const job = jobOf({ argv: sh('echo $$; exec sleep 60') })
      const held = launcher.launch(job)
      const pid = await pidIn(job.stdout)
      process.kill(parentOf(pid), 'SIGKILL')
      const early = await Promise.race([held.ended, new Promise((resolve) => setTimeout(resolve, 500, 'lives'))])
      expect(early).to.equal('lives')
      expect(lives(pid)).to.equal(true)
      appendFileSync(job.state, '7 0\n')
      process.kill(pid, 'SIGKILL')
      expect(await held.ended).to.include({ exitCode: 7, signaled: false })
    })

    it('a keeper that is killed and left no record: interrupted, outcome unknown', async () => {
      const job = jobOf({ argv: sh('echo $$; exec sleep 60') })
      const held = launcher.launch(job)
      const pid = await pidIn(job.stdout)
      process.kill(parentOf(pid), 'SIGKILL')
      process.kill(pid, 'SIGKILL')
      const failure = await held.ended.catch((error: Error) => error)
      expect(failure).to.have.property('message', 'interrupted: outcome unknown')
    })

    it('a job whose keeper is killed before it read it begins all the same, once', async () => {
      const own = join(temporaryFolder(), 'own')
      const other = openLauncher(own, ENVIRONMENT, 16, hurried)
      try {
        await other.launch(jobOf({ argv: ['true'] })).ended
        const pids = await allKeepers(own)
        await new Promise((resolve) => setTimeout(resolve, 50)) // until they are heard
        for (const pid of pids) process.kill(pid, 'SIGSTOP')
        const job = jobOf({ argv: sh('echo ran; exit 5') })
        const held = other.launch(job)
        await new Promise((resolve) => setTimeout(resolve, 50))
        for (const pid of pids) process.kill(pid, 'SIGKILL')
        expect(await held.ended).to.include({ exitCode: 5 })
        expect(await held.began).to.be.a('number')
        expect(textOf(job.stdout)).to.equal('ran\n')
      } finally {
        await other.close()
      }
    })

    it('closing leaves what runs alone: its end is recorded; idle keepers go, and the folder when nothing runs', async () => {
      const own = join(temporaryFolder(), 'a', 'own')
      const first = openLauncher(own, ENVIRONMENT, 16, systemClock)
      const job = jobOf({ argv: sh(`while [ ! -e ${folder}/closed ]; do sleep 0.02; done; echo after; exit 9`) })
      await first.launch(job).began
      const pids = await allKeepers(own)
      await first.close()
      await eventually('idle keepers to go', () => (pids.filter(lives).length === 1 ? true : undefined))
      expect(readState(job.state).state).to.equal('alive')
      writeFileSync(join(folder, 'closed'), '')
      await eventually('the record', () => (readState(job.state).state === 'ended' ? true : undefined))
      expect(readState(job.state)).to.deep.include({ state: 'ended' })
      expect(textOf(job.stdout)).to.equal('after\n')
      await eventually('the last keeper to go', () => (pids.some(lives) ? undefined : true))
      const second = openLauncher(join(own, '..', 'next'), ENVIRONMENT, 16, systemClock)
      expect(existsSync(own), 'folders of dead engines are cleared away').to.equal(false)
      await second.launch(jobOf({ argv: ['true'] })).ended
      await second.close()
      expect(existsSync(join(own, '..'))).to.equal(false)
    })

    it('a job that is read when nobody listens any more runs to its end, with its true exit code', async () => {
      const job = jobOf({ argv: sh('echo ran; exit 6') })
      const own = temporaryFolder()
      for (const [file, text] of jobFiles('j1', job, ENVIRONMENT, '022')) writeFileSync(join(own, file), text)
      const text = 'sleep 0.2; ( . ./j1 ); echo $? >code'
      const tools = ['setsid', 'env'].map((tool) =>
        execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim()
      )
      const keeper: ChildProcess = spawn('sh', ['-c', text, 'keeper', 'k1', ...tools], {
        cwd: own,
        env: ENVIRONMENT,
        stdio: ['ignore', 'pipe', 'ignore']
      })
      keeper.stdout?.destroy()
      await once(keeper, 'exit')
      expect([textOf(job.stdout), textOf(join(own, 'code'))]).to.deep.equal(['ran\n', '6\n'])
    })
  })

  it('what a keeper reads itself holds no secret: it lives on', () => {
    const job = jobOf({ argv: ['true'], env: { TOKEN: 'a secret value' } })
    const values = { TOKEN: 'a secret value' }
    for (const secret of [{ isSecret: true }, { masking: { values } }]) {
      const files = jobFiles('j1', { ...job, ...secret }, ENVIRONMENT, '022')
      expect(files.map(([file]) => file)).to.deep.equal(['j1.secret', 'j1'])
      expect(files.map(([, text]) => text.includes('a secret value'))).to.deep.equal([true, false])
    }
    expect(jobFiles('j1', job, ENVIRONMENT, '022').map(([file]) => file)).to.deep.equal(['j1'])
  })

  it('no file with a secret is left when its job has begun', async () => {
    const own = join(temporaryFolder(), 'own')
    const other = openLauncher(own, ENVIRONMENT, 16, systemClock)
    try {
      const job = jobOf({ argv: sh('echo "$TOKEN"'), env: { PATH: ENVIRONMENT.PATH, TOKEN: 'of one' }, isSecret: true })
      expect(await outcome(job, other.launch(job))).to.include({ exitCode: 0, stdout: 'of one\n' })
      expect(readdirSync(own).filter((file) => file.startsWith('j'))).to.deep.equal([])
    } finally {
      await other.close()
    }
  })

  it('a home that is reached by a link has the same folder in memory: what an engine left there is found', () => {
    const home = temporaryFolder()
    mkdirSync(join(home, 'data'))
    const link = `${home}-link`
    symlinkSync(home, link)
    try {
      expect(launcherPlaces(join(link, 'data'))[0]).to.equal(launcherPlaces(join(home, 'data'))[0])
    } finally {
      unlinkSync(link)
    }
  })

  it("files of logs, records and jobs are the owner's alone", async () => {
    const job = jobOf({ argv: sh('echo x') })
    await launcher.launch(job).ended
    expect([job.stdout, job.stderr, job.state].map((path) => statSync(path).mode & 0o777)).to.deep.equal([
      0o600, 0o600, 0o600
    ])
  })
})
