/** What steps print, as `troupe start` shows it, through a pipe and on a terminal. Source: docs/cli.md. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { CALLED, CALLS, homeWith, STEPS, seen, sorted, WHOLE } from '../../support/cli/printing-steps.ts'
import { PROGRAM, runningServer } from '../../support/cli/program.ts'
import { itLong } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

describe('troupe start › what steps print, piped', () => {
  it('lines `name | text` on stdout, of both streams, each attempt, each pass and the handlers; status on stderr', async () => {
    const there = homeWith({ flow: STEPS })
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
    const there = homeWith({ flow: STEPS, calls: CALLS })
    expect(sorted((await there.done('start', 'calls')).out)).to.deep.equal(CALLED)
    const server = await runningServer({}, { folder: there.folder })
    expect(sorted((await there.done('start', 'calls')).out)).to.deep.equal(CALLED)
    expect(sorted((await there.done('start', 'flow')).out)).to.deep.equal(WHOLE)
    await server.end()
  })

  it('is there while the step runs, also in a sub DAG run', async () => {
    const waits = 'echo begun; while [ ! -e go ]; do sleep 0.02; done; echo ended'
    const there = homeWith({
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
    const there = homeWith({
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
    const there = homeWith({ flow: 'steps:\n  - name: a\n    command: seq 1 200000; touch done\n' })
    const command = '{ "$0" "$1" start flow 2>/dev/null; echo "$?" >&2; } | head -n 1'
    const { stdout, stderr } = spawnSync('sh', ['-c', command, process.execPath, PROGRAM], {
      cwd: there.folder,
      env: { PATH: process.env.PATH, HOME: there.folder, ...there.environment },
      encoding: 'utf8'
    })
    expect([stdout, stderr]).to.deep.equal(['a | 1\n', '0\n'])
    expect(existsSync(join(there.folder, 'done'))).to.equal(true)
  })

  itLong(
    'output that is faster than its reader stays in the log: 200 MB neither fill the memory nor delay the run',
    async () => {
      const there = homeWith({
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
    }
  )
})

describe('troupe start › what steps print, on a terminal', () => {
  it('the last lines stand below each step while it runs, and in the summary', () => {
    const there = homeWith({
      flow: 'steps:\n  - name: a\n    command: seq 1 7; sleep 1.2\n  - name: b\n    command: echo end\n'
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
    expect(summary).to.match(/✓ a .*\n│ {6}3\n│ {6}4\n│ {6}5\n│ {6}6\n│ {6}7\n└─ ✓ b .*\n {7}end\n/)
    const none = shown('--output', 'none')
    expect(none.live).to.contain('● a').and.not.contain('│ ')
    expect(none.summary).to.not.contain('end\n')
  })
})
