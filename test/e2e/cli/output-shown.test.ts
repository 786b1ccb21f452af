/** What steps print, as `troupe start`, `retry` and `logs` show it: real engines, processes and a running server. Source: docs/cli.md. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROGRAM, program, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

function place(definitions: Record<string, string>) {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(definitions)) writeFileSync(join(folder, `${name}.yaml`), text)
  const environment = { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }
  const troupe = (...argv: string[]) => program(folder, environment, ...argv)
  return {
    folder,
    environment,
    troupe,
    async done(...argv: string[]) {
      const { code, written } = troupe(...argv)
      return { code: await code, ...written }
    }
  }
}
const sorted = (text: string) => text.trimEnd().split('\n').sort()
const seen = (written: { out: string }, text: string) =>
  eventually(text, () => (written.out.includes(text) ? true : undefined))

const STEPS = `steps:
  - name: greet
    command: echo hello; printf partial >&2
  - name: flaky
    command: echo "try"; test -e ok
    retryPolicy: { limit: 1, intervalSec: 0 }
    continueOn: { failure: true }
  - name: thrice
    command: echo again
    repeatPolicy: { repeat: true, limit: 3, intervalSec: 0 }
handlerOn:
  exit:
    command: echo over
`
const WHOLE = [
  ...['flaky | try', 'flaky | try', 'greet | hello', 'greet | partial', 'onExit | over'],
  ...['thrice | again', 'thrice | again', 'thrice | again']
]
const CALLS = `steps:
  - name: one
    call: kid
    params: X=alone
  - name: many
    call: kid
    parallel: { items: [a, b], maxConcurrent: 1 }
    params: X=\${ITEM}
---
name: kid
params: X=
steps:
  - name: below
    call: grandkid
    params: X=\${X}
---
name: grandkid
params: X=
steps:
  - name: say
    command: echo "in $X"
`
const CALLED = ['many#1/below/say | in a', 'many#2/below/say | in b', 'one/below/say | in alone']

describe('troupe start › what steps print, piped', () => {
  it('lines `name | text` on stdout, of both streams, each attempt, each pass and the handlers; status on stderr', async () => {
    const there = place({ flow: STEPS })
    const { out, err, code } = await there.done('start', 'flow', '-r', 'r1')
    expect(code).to.equal(0)
    expect(sorted(out)).to.deep.equal(WHOLE)
    expect(err).to.contain('run r1 of flow\n').and.contain('✓ onExit').and.not.contain(' | ')
    const failed = await there.done('start', 'flow', '-r', 'r2', '--output', 'failed')
    expect(failed.out).to.equal('flaky | try\nflaky | try\n')
    const none = await there.done('start', 'flow', '-r', 'r3', '--output=none')
    expect(none.out).to.equal('')
    expect(none.err).to.contain('✗ flaky').and.not.contain('stdout: try')
    const json = await there.done('start', 'flow', '-r', 'r4', '--json')
    for (const line of json.out.trimEnd().split('\n')) expect(JSON.parse(line)).to.be.an('object')
    expect(await there.done('start', 'flow', '--output', 'fialed')).to.deep.equal({
      code: 1,
      out: '',
      err: 'Error: --output: wanted all, failed, none, found "fialed"; did you mean failed?\n'
    })
    writeFileSync(join(there.folder, 'ok'), '')
    const retried = await there.done('retry', 'flow', '-r', 'latest')
    expect(sorted(retried.out)).to.deep.equal(['flaky | try', 'onExit | over', ...Array(3).fill('thrice | again')])
  })

  it('with a server the same, and of sub DAG runs at any depth and in parallel, without what calls report', async () => {
    const there = place({ flow: STEPS, calls: CALLS })
    expect(sorted((await there.done('start', 'calls')).out)).to.deep.equal(CALLED)
    const server = await runningServer({}, { folder: there.folder })
    expect(sorted((await there.done('start', 'calls')).out)).to.deep.equal(CALLED)
    expect(sorted((await there.done('start', 'flow')).out)).to.deep.equal(WHOLE)
    await server.end()
  })

  it('is there while the step runs, also in a sub DAG run', async () => {
    const waits = 'echo begun; while [ ! -e go ]; do sleep 0.02; done; echo ended'
    const there = place({
      flow: `steps:\n  - name: a\n    call: kid\n---\nname: kid\nsteps:\n  - name: b\n    command: ${waits}\n`
    })
    const start = there.troupe('start', 'flow')
    await seen(start.written, 'a/b | begun\n')
    expect(start.written.out).to.not.contain('ended')
    writeFileSync(join(there.folder, 'go'), '')
    await start.code
    expect(start.written.out).to.equal('a/b | begun\na/b | ended\n')
  })

  it('secrets stay masked, terminal escapes and binary bytes reach nobody', async () => {
    const there = place({
      flow: `secrets:
  - name: KEY
    provider: file
    key: ${'key.txt'}
steps:
  - name: "s\\e[31m"
    command: printf 'a %s b\\n' "$KEY"; printf '\\033]0;x\\007\\033[2Jtext \\377\\000\\n'
`
    })
    writeFileSync(join(there.folder, 'key.txt'), 'hush-hush-hush')
    const start = await there.done('start', 'flow', '-r', 'r1')
    expect(start.err).to.contain('succeeded')
    const logs = await there.done('logs', 'flow')
    for (const { out } of [start, logs]) {
      expect(out).to.not.contain('hush-hush-hush')
      expect(out).to.not.match(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
      expect(out).to.contain('text \ufffd')
    }
  })

  it('a reader that goes away ends the output only: the run goes on to its end', () => {
    const there = place({ flow: 'steps:\n  - name: a\n    command: seq 1 200000; touch done\n' })
    const command = '{ "$0" "$1" start flow 2>/dev/null; echo "$?" >&2; } | head -n 1'
    const { stdout, stderr } = spawnSync('sh', ['-c', command, process.execPath, PROGRAM], {
      cwd: there.folder,
      env: { PATH: process.env.PATH, HOME: there.folder, ...there.environment },
      encoding: 'utf8'
    })
    expect([stdout, stderr]).to.deep.equal(['a | 1\n', '0\n'])
    expect(existsSync(join(there.folder, 'done'))).to.equal(true)
  })

  it('output that is faster than its reader stays in the log: 200 MB do not fill the memory, nor hold up the run', async () => {
    const there = place({
      flow: `steps:\n  - name: a\n    command: yes 0123456789012345678901234567890123456789 | head -c 200000000; touch done\n`
    })
    const child = spawn(process.execPath, [PROGRAM, 'start', 'flow'], {
      cwd: there.folder,
      env: { PATH: process.env.PATH, HOME: there.folder, ...there.environment },
      stdio: ['ignore', 'pipe', 'ignore']
    })
    const code = new Promise((resolve) => child.once('close', resolve))
    // Nobody reads yet: the step ends all the same.
    await eventually('the end of the step', () => (existsSync(join(there.folder, 'done')) ? true : undefined))
    const memory = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
    expect(Number(memory)).to.be.below(300_000)
    let bytes = 0
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    expect(await code).to.equal(0)
    expect(bytes).to.be.greaterThan(200_000_000)
  })
})

describe('troupe retry › what steps print', () => {
  it('of the steps that run again, not of those that are kept, when some of them call others', async () => {
    const there = place({
      flow: `steps:
  - name: kept
    command: echo kept
  - name: call
    call: kid
---
name: kid
steps:
  - name: fine
    command: echo fine
  - name: flaky
    command: echo flaky; test -e ok
`
    })
    const first = await there.done('start', 'flow', '-r', 'r1')
    expect(first.out).to.equal('kept | kept\ncall/fine | fine\ncall/flaky | flaky\n')
    expect((await there.done('retry', 'flow', '-r', 'latest', '--output', 'failed')).out).to.equal(
      'call/flaky | flaky\n'
    )
    writeFileSync(join(there.folder, 'ok'), '')
    const server = await runningServer({}, { folder: there.folder })
    const again = await there.done('retry', 'flow', '-r', 'r1')
    await server.end()
    expect(again.code).to.equal(0)
    expect(again.out).to.equal('call/flaky | flaky\n')
  })
})

describe('troupe start › what steps print, on a terminal', () => {
  it('the last lines stand below each step while it runs, and in the summary', () => {
    const there = place({
      flow: 'steps:\n  - name: a\n    command: seq 1 7; sleep 0.6\n  - name: b\n    command: echo end\n'
    })
    const shown = (...flags: string[]) => {
      const command = `stty cols 80 rows 24; exec ${process.execPath} ${PROGRAM} start flow ${flags.join(' ')}`
      const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
        cwd: there.folder,
        env: { PATH: process.env.PATH, HOME: there.folder, TERM: 'xterm', NO_COLOR: '1', ...there.environment },
        encoding: 'utf8'
      })
      const [live = '', summary = ''] = stdout.split('\x1b[?25h')
      return { live, summary: summary.replaceAll('\r', '') }
    }
    const { live, summary } = shown()
    expect(live).to.match(/● a +\S+\x1b\[K\r\n│ {5}3\x1b\[K\r\n│ {5}4/)
    expect(summary).to.match(/✓ a .*\n│ {6}3\n│ {6}4\n│ {6}5\n│ {6}6\n│ {6}7\n└─ ✓ b .*\n {7}end\nlogs: /)
    const none = shown('--output', 'none')
    expect(none.live).to.contain('● a').and.not.contain('│ ')
    expect(none.summary).to.not.contain('end\n')
  })
})

describe('troupe logs', () => {
  it('without a server: the newest run, one by its id, one step, one stream, an earlier attempt, as JSON', async () => {
    const there = place({ flow: STEPS })
    await there.done('start', 'flow', '-r', 'r1', '-q')
    writeFileSync(join(there.folder, 'ok'), '')
    await there.done('start', 'flow', '-r', 'r2', '-q')
    const second = await there.done('logs', 'flow')
    expect(second).to.include({ code: 0, err: '' })
    expect(second.out).to.match(/^greet \| hello\ngreet \| partial\nflaky \| try\nthrice/)
    for (const words of [['flow', '-r', 'latest'], ['flow.yaml'], ['r2'], ['flow', '--run-id=r2']])
      expect(await there.done('logs', ...words), words.join(' ')).to.deep.equal(second)
    const first = await there.done('logs', 'r1')
    expect(sorted(first.out)).to.deep.equal(WHOLE)
    expect((await there.done('logs', 'flow', 'greet')).out).to.equal('hello\npartial\n')
    expect((await there.done('logs', 'flow', 'onExit')).out).to.equal('over\n')
    expect((await there.done('logs', 'flow', '--stream', 'stderr')).out).to.equal('greet | partial\n')
    const [json = ''] = (await there.done('logs', 'flow', 'greet', '--json')).out.split('\n')
    const text = { name: 'flow', dagRunId: 'r2', step: 'greet', label: 'greet', stream: 'stdout', text: 'hello' }
    expect(JSON.parse(json)).to.deep.equal(text)
    await there.done('retry', 'flow', '-r', 'r1', '--step', 'flaky', '-q')
    expect((await there.done('logs', 'r1', 'flaky')).out).to.equal('try\n')
    expect((await there.done('logs', 'r1', 'flaky', '--attempt', '1')).out).to.equal('try\ntry\n')
  })

  it('of sub DAG runs: all, those of one call, one step of one of them', async () => {
    const there = place({ calls: CALLS })
    await there.done('start', 'calls', '-q')
    expect(sorted((await there.done('logs', 'calls')).out)).to.deep.equal(CALLED)
    expect((await there.done('logs', 'calls', 'many#2/below/say')).out).to.equal('many#2/below/say | in b\n')
    expect(sorted((await there.done('logs', 'calls', 'many')).out)).to.deep.equal(CALLED.slice(0, 2))
  })

  it('errors name what is there', async () => {
    const there = place({ flow: STEPS })
    await there.done('start', 'flow', '-r', 'r1', '-q')
    const refused = async (...words: string[]) => {
      const { code, out, err } = await there.done('logs', ...words)
      expect({ code, out }, words.join(' ')).to.deep.equal({ code: 1, out: '' })
      return err
    }
    expect(await refused('flwo')).to.match(/^Error: flwo has no runs in the home \S+; did you mean flow\?/)
    expect(await refused('flow', '-r', 'r9')).to.equal(
      'Error: there is no run r9 of flow; its newest is r1 (or say latest)\n'
    )
    expect(await refused('flow', 'gret')).to.equal(
      'Error: run r1 of flow has no step or handler "gret"; did you mean greet?\n'
    )
    expect(await refused('flow', 'zzz')).to.equal(
      'Error: run r1 of flow has no step or handler "zzz"; wanted one of greet, flaky, thrice, onExit\n'
    )
    expect((await there.done('logs', 'latest', 'greet')).out).to.equal('hello\npartial\n')
    rmSync(join(there.folder, 'logs', 'flow', 'r1', '1', 'greet.out'))
    rmSync(join(there.folder, 'logs', 'flow', 'r1', '1', 'greet.err'))
    expect(await there.done('logs', 'flow', 'greet')).to.deep.equal({
      code: 0,
      out: '',
      err: 'the logs of greet are gone\n'
    })
    expect((await there.done('logs', 'flow', 'thrice', '--stream', 'stderr')).err).to.equal(
      'thrice has written nothing: run r1 of flow is partially succeeded\n'
    )
    expect(await refused('flow', '--attempt', '2')).to.contain('--attempt: run r1 of flow has one attempt, found 2')
    expect(await refused('flow', '--stream', 'both')).to.contain('wanted stdout or stderr')
    expect(await refused('flow', 'a', 'b')).to.contain('wanted a run and one step, found 3: flow a b')
    expect(await refused()).to.contain('wanted a definition or the id of a run, found none')
  })

  it('--follow with a server: what was before, what comes, and it ends with the run', async () => {
    const waits = 'echo begun; while [ ! -e go ]; do sleep 0.02; done; echo ended'
    const there = place({
      flow: `steps:
  - name: first
    command: echo first
  - name: a
    call: kid
handlerOn:
  exit:
    command: echo over
---
name: kid
steps:
  - name: b
    command: ${waits}
`
    })
    const server = await runningServer({}, { folder: there.folder })
    const start = there.troupe('start', 'flow', '-q')
    await eventually('the run', async () => ((await there.done('status', 'flow')).code === 0 ? true : undefined))
    const follower = there.troupe('logs', 'flow', '--follow')
    await seen(follower.written, 'a/b | begun\n')
    const only = there.troupe('logs', 'flow', 'a/b', '-f', '--json')
    await seen(only.written, 'begun')
    writeFileSync(join(there.folder, 'go'), '')
    expect([await start.code, await follower.code, await only.code]).to.deep.equal([0, 0, 0])
    expect(follower.written.out).to.equal('first | first\na/b | begun\na/b | ended\nonExit | over\n')
    const texts = only.written.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).text)
    expect(texts).to.deep.equal(['begun', 'ended'])
    expect((await there.done('logs', 'flow', '-f')).out).to.equal(follower.written.out)
    await server.end()
  })

  it('--follow goes on with the next engine when a server is restarted', async () => {
    const waits = 'echo begun; while [ ! -e go ]; do sleep 0.02; done; echo ended'
    const there = place({ flow: `steps:\n  - name: a\n    command: ${waits}\n  - name: b\n    command: echo later\n` })
    const first = await runningServer({}, { folder: there.folder })
    const start = there.troupe('start', 'flow')
    await seen(start.written, 'a | begun\n')
    const follower = there.troupe('logs', 'flow', '--follow')
    await seen(follower.written, 'a | begun\n')
    await first.end()
    const second = await runningServer({}, { folder: there.folder })
    writeFileSync(join(there.folder, 'go'), '')
    expect([await start.code, await follower.code]).to.deep.equal([0, 0])
    for (const { written } of [start, follower]) expect(written.out).to.equal('a | begun\na | ended\nb | later\n')
    await second.end()
  })
})
