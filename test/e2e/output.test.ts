/** What becomes of a step's stdout and stderr. Source: execution-semantics 4.5. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { liveEngine, textOf } from '../support/live.ts'
import { liveApi } from '../support/live-api.ts'
import { eventually, WHEN_BUSY } from '../support/waiting.ts'

describe('logs and copies of output', () => {
  const live = liveEngine()

  it("4.5.1 every execution appends to the node's two log files; retries share them", async () => {
    const run = await live.run(`
      steps:
        - name: thrice
          command: echo out; echo err >&2; false
          retryPolicy: {limit: 2}
    `)
    expect(run.out('thrice')).to.equal('out\n'.repeat(3))
    expect(run.err('thrice')).to.equal('err\n'.repeat(3))
    const { stdout = '', stderr = '' } = run.node('thrice')
    expect([stdout, stderr].map((path) => statSync(path).mode & 0o777)).to.deep.equal([0o600, 0o600])
  })

  it("4.5.2 stdout: / stderr: files receive a copy, logs keep everything; created 0600, appended to, parents created, relative to the step's directory", async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'kept.txt'), 'before\n')
    const run = await live.run(`
      workingDir: ${folder}
      params: NAME=n
      steps:
        - name: both
          dir: sub
          command: echo out; echo err >&2
          stdout: new/\${NAME}-\${DAG_RUN_STEP_NAME}.txt
          stderr: ${folder}/kept.txt
        - name: again
          dir: sub
          command: cat new/n-both.txt; false
          stdout: new/n-both.txt
          continueOn: {failure: true, markSuccess: true}
          retryPolicy: {limit: 1}
    `)
    expect(run.status).to.equal('succeeded')
    expect([run.out('both'), run.err('both')]).to.deep.equal(['out\n', 'err\n'])
    expect(readFileSync(join(folder, 'kept.txt'), 'utf8')).to.equal('before\nerr\n')
    expect(textOf(join(folder, 'sub/new/n-both.txt')).startsWith('out\nout\n'), 'a copy of each execution').to.equal(
      true
    )
    expect(statSync(join(folder, 'sub/new/n-both.txt')).mode & 0o777).to.equal(0o600)
  })

  it('4.5.2 a copy that cannot be written fails the step, and does not hold it up', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'folder'))
    const run = await live.run(`
      workingDir: ${folder}
      type: graph
      steps:
        - {name: folder, command: echo no, stdout: folder}
        - {name: below a file, command: echo no, stderr: /dev/null/x}
        - {name: nowhere, command: echo yes, stdout: /dev/null}
        - {name: pipe, command: "mkfifo pipe"}
        - {name: nobody reads, depends: pipe, command: echo no, stdout: pipe}
        - {name: full disk, command: "seq 1 3; echo done", stdout: /dev/full}
    `)
    expect(run.statuses).to.deep.equal(['failed', 'failed', 'succeeded', 'succeeded', 'failed', 'failed'])
    expect(run.node('full disk').error).to.match(
      /^failed to execute step "full disk": the copy of stdout could not be written: \/dev\/full\nrecent stderr \(tail\):\ntee: /
    )
    expect(run.out('full disk')).to.equal('1\n2\n3\ndone\n')
    const errors = ['folder', 'below a file', 'nobody reads'].map((name) => run.node(name).error)
    expect(errors).to.deep.equal([
      `failed to execute step "folder": stdout cannot be copied to ${folder}/folder: it is a folder`,
      'failed to execute step "below a file": stderr cannot be copied to /dev/null/x: /dev/null is no folder',
      `failed to execute step "nobody reads": stdout cannot be copied to ${folder}/pipe: nobody reads that pipe`
    ])
    expect(run.out('folder')).to.equal('')
    expect(run.out('nowhere')).to.equal('yes\n')
  })

  it('4.5.3 stdout and stderr may name the same file', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      steps:
        - name: same
          command: for i in 1 2 3 4 5; do echo "out $i"; echo "err $i" >&2; done
          stdout: ${folder}/both.txt
          stderr: ${folder}/both.txt
    `)
    expect(run.status).to.equal('succeeded')
    const lines = textOf(join(folder, 'both.txt')).trimEnd().split('\n')
    const expected = (stream: string) => [1, 2, 3, 4, 5].map((i) => `${stream} ${i}`)
    expect(lines.filter((line) => line.startsWith('out'))).to.deep.equal(expected('out'))
    expect(lines.filter((line) => line.startsWith('err'))).to.deep.equal(expected('err'))
    expect(lines).to.have.length(10)
  })

  it('4.5.2 exit codes and signals are those of the step, not of what copies', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      type: graph
      steps:
        - {name: code, command: echo x; exit 7, stdout: ${folder}/1}
        - {name: high, command: echo x >&2; exit 200, stderr: ${folder}/2}
        - {name: signal, command: echo x; kill -KILL $$, stdout: ${folder}/3, stderr: ${folder}/4}
        - {name: large, command: 'head -c 3000000 /dev/zero | tr "\\0" x', stdout: ${folder}/5}
    `)
    expect(run.nodes.map(({ node }) => node.exitCode)).to.deep.equal([7, 200, -1, 0])
    expect(statSync(join(folder, '5')).size).to.equal(3_000_000)
    expect(statSync(run.node('large').stdout ?? '').size).to.equal(3_000_000)
  })

  it('a grandchild that holds the pipe or the log does not hold the step', async function () {
    this.retries(WHEN_BUSY)
    const folder = temporaryFolder()
    const run = await live.run(`
      type: graph
      steps:
        - name: log
          command: sleep 4 & echo $! ; exit 3
        - name: pipe
          command: sleep 4 & echo $! ; exit 200
          stdout: ${folder}/copy
    `)
    const took = (name: string) => (run.node(name).finishedAt ?? 0) - (run.node(name).startedAt ?? 0)
    expect(run.nodes.map(({ node }) => node.exitCode)).to.deep.equal([3, 200])
    expect(took('log')).to.be.below(1_500)
    expect(took('pipe'), 'copies are waited for 2 s at most').to.be.below(3_500)
    expect(textOf(join(folder, 'copy'))).to.equal(run.out('pipe'))
    for (const name of ['log', 'pipe']) process.kill(Number(run.out(name)))
  })

  it('4.5.9 logs can be followed while the step runs', async () => {
    const folder = temporaryFolder()
    const key = await live.start(`
      steps:
        - name: slow
          command: echo first; while [ ! -e ${folder}/go ]; do sleep 0.02; done; echo second
    `)
    await eventually('the first line', () => {
      const { stdout } = live.engine.run(key)?.nodes[0]?.node ?? {}
      return textOf(stdout) === 'first\n' ? true : undefined
    })
    expect(live.engine.run(key)?.nodes[0]?.node.status).to.equal('running')
    writeFileSync(join(folder, 'go'), '')
    expect((await live.ended(key)).out('slow')).to.equal('first\nsecond\n')
  })

  it('4.5.10 the error names the step and the cause, with the last 1024 bytes of stderr when there are any', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: quiet, command: exit 3}
        - {name: loud, command: 'echo why >&2; exit 4'}
        - {name: long, command: 'head -c 5000 /dev/zero | tr "\\0" x >&2; echo end >&2; kill -TERM $$'}
    `)
    expect(run.node('quiet').error).to.equal('failed to execute step "quiet": exit status 3')
    expect(run.node('loud').error).to.equal('failed to execute step "loud": exit status 4\nrecent stderr (tail):\nwhy')
    const [cause, title, tail = ''] = run.node('long').error?.split('\n') ?? []
    expect([cause, title]).to.deep.equal(['failed to execute step "long": signal: terminated', 'recent stderr (tail):'])
    expect(tail).to.equal(`${'x'.repeat(1_020)}end`)
  })
})

describe('captured output', () => {
  const live = liveEngine()

  it('4.5.4 output: NAME is stdout, trimmed of leading and trailing white space, inner newlines kept; a leading $ is dropped; stderr is not captured', async () => {
    const run = await live.run(`
      steps:
        - name: makes
          command: printf '\\n\\t a\\n\\n b \\n\\n'; echo no >&2
          output: $TEXT
        - name: shows
          command: printf '<%s>' "\${TEXT}" "$TEXT"
          output: SHOWN
    `)
    expect(run.node('makes').output).to.equal('a\n\n b')
    expect(run.out('shows')).to.equal('<a\n\n b><a\n\n b>')
    expect(run.out('makes'), 'the log keeps all').to.equal('\n\t a\n\n b \n\n')
  })

  it("4.5.5 with retries only the last attempt's stdout is the value; the log keeps all attempts", async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      steps:
        - name: counts
          command: echo x >>${folder}/n; wc -l <${folder}/n; [ $(wc -l <${folder}/n) -eq 3 ]
          output: N
          retryPolicy: {limit: 5}
        - name: shows
          command: echo "\${N}"
    `)
    expect(run.node('counts')).to.include({ output: '3', retryCount: 2 })
    expect(run.out('counts')).to.equal('1\n2\n3\n')
    expect(run.out('shows')).to.equal('3\n')
  })

  it('4.5.6 exactly maxOutputSize bytes is fine; one more fails the step, the variable is not set, log files are complete', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      maxOutputSize: 10
      steps:
        - {name: exact, command: printf 0123456789, output: EXACT}
        - name: more
          command: printf 0123456789a; touch ${folder}/ran-to-its-end
          output: MORE
          continueOn: {failure: true}
        - {name: unlimited, command: printf 0123456789abc}
        - name: shows
          command: echo "\${EXACT} \${MORE-unset}"
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'failed', 'succeeded', 'succeeded'])
    expect(run.node('exact').output).to.equal('0123456789')
    expect(run.node('more').error).to.equal('failed to capture output: output exceeded maximum size limit of 10 bytes')
    expect(run.node('more')).not.to.have.property('output')
    expect(existsSync(join(folder, 'ran-to-its-end'))).to.equal(true)
    expect(run.out('more')).to.equal('0123456789a')
    expect(run.out('shows')).to.equal('0123456789 unset\n')
    expect(run.status).to.equal('partially_succeeded')
  })

  it('4.5.7 maxOutputSize also bounds one line searched by continueOn.output and expected', async () => {
    const run = await live.run(`
      maxOutputSize: 20
      type: graph
      steps:
        - {name: within, command: "echo 0123456789 needle; false", continueOn: {output: needle}}
        - {name: beyond, command: "echo 0123456789 0123456789 needle; false", continueOn: {output: needle}}
        - {name: next line, command: "echo 0123456789 0123456789; echo needle; false", continueOn: {output: needle}}
        - name: expected
          command: echo ran
          preconditions:
            - {condition: "0123456789 0123456789 needle", expected: "re:needle"}
    `)
    expect(run.nodes.map(({ node }) => node.continues ?? false)).to.deep.equal([true, false, true, false])
    expect(run.node('expected').status).to.equal('skipped')
  })

  it('4.5.8 empty output sets the variable to the empty string', async () => {
    const run = await live.run(`
      env: {NOTHING: from env}
      steps:
        - {name: silent, command: "true", output: NOTHING}
        - name: shows
          command: echo "<\${NOTHING}>" "<\${NOTHING-unset}>"
    `)
    expect(run.node('silent').output).to.equal('')
    expect(run.out('shows')).to.equal('<> <>\n')
  })

  it('4.5.11 invalid UTF-8 in captured values is replaced by U+FFFD, logs keep bytes', async () => {
    const run = await live.run(`
      steps:
        - {name: bytes, command: "printf 'a\\\\377b'", output: BYTES}
        - name: shows
          command: printf %s "\${BYTES}"
    `)
    expect(run.node('bytes').output).to.equal('a\uFFFDb')
    expect([...readFileSync(run.node('bytes').stdout ?? '')]).to.deep.equal([0x61, 0xff, 0x62])
    expect(run.out('shows')).to.equal('a\uFFFDb')
  })

  it('1.8 maxOutputSize is 1048576 bytes unless it is set', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: exact, command: head -c 1048576 /dev/zero, output: A}
        - {name: more, command: head -c 1048577 /dev/zero, output: B}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'failed'])
    expect(run.node('more').error).to.contain('limit of 1048576 bytes')
  })

  it('an output with a NUL character fails no step that does not use it: it is left out of environments, with a warning', async () => {
    const run = await live.run(`
      steps:
        - {name: files, command: "printf 'a\\\\0b'", output: FILES}
        - {name: on, command: 'echo "<$(printenv FILES)>"', preconditions: [{condition: '\`echo yes\`', expected: 'yes'}, 'true']}
        - {name: uses, command: 'echo "\${FILES}"', continueOn: {failure: true}}
      handlerOn: {exit: echo bye}
    `)
    expect(run.out('on')).to.equal('<>\n')
    expect(run.out('onExit')).to.equal('bye\n')
    expect(run.node('uses').error).to.contain('its command holds a NUL character')
    expect(textOf(run.run.log)).to.contain('FILES holds a NUL character, and is not in the environment of a process')
  })

  it('a DAG env entry with a NUL character is left out too, with a warning, for the preconditions of the DAG as well', async () => {
    const run = await live.run(`
      env: [{A: '\`printf "a\\\\0b"\`'}, {B: '\`echo b\`'}]
      preconditions: ['test "$B" = b', {condition: '\`echo yes\`', expected: 'yes'}]
      steps: ['echo "<$A>"']
    `)
    expect(run.out('cmd_1')).to.equal('<>\n')
    expect(textOf(run.run.log).match(/A holds a NUL character/g)).to.have.length(2) // one is of the step
  })

  it('an output of 128 KiB or more does not fit into an environment: scripts can use it, other steps run without it', async () => {
    const run = await live.run(`
      steps:
        - {name: fits, command: "head -c 131063 /dev/zero | tr '\\\\0' x", output: FITTING}
        - {name: large, command: "head -c 300000 /dev/zero | tr '\\\\0' x", output: LARGE}
        - {name: other, command: 'echo "\${#FITTING} \${LARGE-unset}"'}
        - name: script
          script: |
            printf '%s' "\${LARGE}" | wc -c
    `)
    expect(run.status).to.equal('succeeded')
    expect(run.out('other')).to.equal('131063 unset\n')
    expect(run.out('script')).to.equal('300000\n')
    expect(textOf(run.run.log)).to.match(/level=WARN msg="LARGE is too large/)
  })

  it('a command that its values make longer than an argument may be is run from a file, by the same shell and flags', async () => {
    const run = await live.run(`
      steps:
        - {name: large, command: "head -c 300000 /dev/zero | tr '\\\\0' x", output: LARGE}
        - {name: text, command: 'printf %s "\${LARGE}" | wc -c; false; echo on', continueOn: {failure: true}}
        - {name: named, shell: bash -uc, command: 'printf %s "\${LARGE}" | wc -c; echo $-; false; echo on'}
        - {name: list, command: [printf, '%.3s', '\${LARGE}']}
        - {name: words, command: "printf '%.5s'", args: ['\${LARGE}']}
    `)
    expect(run.out('text')).to.equal('300000\n')
    expect(run.out('named')).to.match(/^300000\n[a-zA-Z]*u[a-zA-Z]*\non\n$/)
    expect(run.out('list')).to.equal('xxx')
    expect(run.out('words')).to.equal('xxxxx')
  })

  it('5.6.8 a condition of that length cannot be evaluated: not met, also when it is negated, and the error says why', async () => {
    const run = await live.run(`
      steps:
        - {name: large, command: "head -c 300000 /dev/zero | tr '\\\\0' x", output: LARGE}
        - {name: tested, command: echo no, preconditions: [{condition: 'test -n "\${LARGE}"', negate: true}]}
    `)
    const { status, error } = run.node('tested')
    expect(status).to.equal('skipped')
    expect(error).to.equal(
      'the condition `test -n "${LARGE}"` has 300010 bytes with its values, and a process takes at most 131071 in one text: use a `script` instead'
    )
  })

  it('a text of that length for a program that no shell starts, or for backticks, fails the step, and the error says why', async () => {
    const run = await live.run(`
      steps:
        - {name: large, command: "head -c 300000 /dev/zero | tr '\\\\0' x", output: LARGE}
        - {name: direct, command: 'env A=\${LARGE} sh', script: 'true', continueOn: {failure: true}}
        - {name: ticks, command: 'echo \`printf %s "\${LARGE}"\`'}
    `)
    for (const name of ['direct', 'ticks'])
      expect(run.node(name).error, name).to.match(
        /has 3000\d\d bytes .* at most 131071 in one text: use a `script` instead$/
      )
  })
})

describe('API › the log of a step with both streams redirected into one file', () => {
  const api = liveApi()
  const logOf = async (id: string, step: string, query = '') =>
    (await api.call('GET', `/dag-runs/both/${id}/steps/${step}/log${query}`)).json

  it('3.8.9 is what went into the file, for either stream; not what others have put there, and never a file in its place', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'both.txt')
    writeFileSync(file, 'of another run\n')
    writeFileSync(join(folder, 'token'), 'canary-both-1', { mode: 0o600 })
    const id = await api.startedInline({
      name: 'both',
      spec: `
secrets: [{name: TOKEN, provider: file, key: ${folder}/token}]
type: graph
steps:
  - name: masked
    command: echo "out $TOKEN"; echo err >&2; false
    stdout: ${folder}/masked.txt
    stderr: ${folder}/./masked.txt
    retryPolicy: {limit: 1}
    continueOn: {failure: true}
  - {name: apart, command: 'echo out; echo err >&2', stdout: '${folder}/out.txt', stderr: '${folder}/err.txt'}
`
    })
    await api.ended('both', id)
    for (const stream of ['stdout', 'stderr']) {
      const { content, totalLines } = await logOf(id, 'masked', `?stream=${stream}`)
      expect([content, totalLines], stream).to.deep.equal([textOf(join(folder, 'masked.txt')).trimEnd(), 4])
      expect(content.split('\n').sort()).to.deep.equal(['err', 'err', 'out *******', 'out *******'])
    }
    expect((await logOf(id, 'apart')).content).to.equal('out')
    expect((await logOf(id, 'apart', '?stream=stderr')).content).to.equal('err')

    const plain = await api.startedInline({
      name: 'both',
      spec: `steps: [{name: s, command: 'echo out; echo err >&2', stdout: '${file}', stderr: '${file}', output: OUT}]`
    })
    await api.ended('both', plain)
    expect(textOf(file)).to.match(/^of another run\n/)
    rmSync(file)
    symlinkSync('/etc/passwd', file)
    for (const query of ['', '?stream=stderr'])
      expect((await logOf(plain, 's', query)).content.split('\n').sort()).to.deep.equal(['err', 'out'])
    const retried = await api.call('POST', `/dag-runs/both/${plain}/retry`, { body: { dagRunId: 'seeded' } })
    expect(retried.status).to.equal(200)
    await api.ended('both', 'seeded')
    expect((await logOf('seeded', 's', '?tail=5')).lineCount, 'a run that keeps the node has its log, too').to.equal(2)
    expect((await api.call('GET', `/dag-runs/both/${plain}/outputs`)).json.outputs).to.deep.equal({ OUT: 'out' })
  })
})
