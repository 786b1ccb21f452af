/** From a command to a process, with real shells. Source: execution-semantics 4.1. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('commands of steps', () => {
  const live = liveEngine()

  it("4.1.2 pipes, &&, redirects, globbing are the shell's; a plain string is a command", async () => {
    const folder = temporaryFolder()
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), name)
    const run = await live.run(`
      workingDir: ${folder}
      steps:
        - echo one | tr a-z A-Z && echo two
        - name: glob
          command: echo *.txt; echo hidden >c.txt; cat c.txt
        - name: zero
          command: echo "$0" $$; cat /proc/$$/stat
    `)
    expect(run.status).to.equal('succeeded')
    expect(run.out('cmd_1')).to.equal('ONE\ntwo\n')
    expect(run.out('glob')).to.equal('a.txt b.txt\nhidden\n')
    const [shown = '', stat = ''] = run.out('zero').split('\n')
    const [zero, pid] = shown.split(' ')
    expect(zero, '$0 is that of sh -c').to.equal('sh')
    expect(stat.split(' ')[0], '$$ is the leader').to.equal(pid)
  })

  it('4.1.1 a command with a newline is a script', async () => {
    const run = await live.run(`
      steps:
        - name: lines
          command: |
            case "$0" in *.script) echo from a file;; esac
            for word in one two; do
              echo "$word"
            done
        - name: text
          command: "echo first\\necho second"
    `)
    expect(run.out('lines')).to.equal('from a file\none\ntwo\n')
    expect(run.out('text')).to.equal('first\nsecond\n')
  })

  it('4.1.3 a list command runs through the shell; an argument with a blank gets double quotes, $X and * are expanded', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'only.txt'), '')
    const run = await live.run(`
      workingDir: ${folder}
      env: {GREETING: "hello  you"}
      steps:
        - name: list
          command: [printf, "'<%s>'", "a  b", 'say "x y"', $GREETING, '*.txt', '''z  $GREETING''', 5, true]
    `)
    expect(run.out('list')).to.equal('<a  b><say "x y"><hello><you><only.txt><z  $GREETING><5><true>')
  })

  it('4.1.5 command and script: no shell, the program gets its arguments and the script file', async () => {
    const run = await live.run(`
      steps:
        - name: reads
          command: sed -n 's/^say //p'
          script: |
            say hello
            exit 9
        - name: quoted
          command: env 'A=it is $HOME' sh
          args: [-u]
          script: echo "$A"
    `)
    expect(run.status).to.equal('succeeded')
    expect(run.out('reads')).to.equal('hello\n')
    expect(run.out('quoted')).to.equal('it is $HOME\n')
  })

  it('4.1.6 each of args is exactly one word that the shell does not expand; Troupe expands ${X} first', async () => {
    const run = await live.run(`
      params: X=value
      steps:
        - name: words
          command: printf '<%s>'
          args: [a b, '\\$HOME', '*', "it's", "\${X}", '"', '\`echo a  tick\`', "two\\nlines", "", 7]
    `)
    expect(run.out('words')).to.equal('<a b><$HOME><*><it\'s><value><"><a tick><two\nlines><><7>')
  })

  it('4.1.8 a step without command and script is refused: step command is required', async () => {
    const refused = await live.run('steps: [{name: empty}]').catch((error) => error)
    expect(refused).to.have.property('code', 'bad_request')
    expect(refused.message).to.contain('step command is required')
  })

  it('4.1.9 no stdin (null device), its own process group and session', async () => {
    const run = await live.run(`
      steps:
        - name: input
          command: readlink /proc/self/fd/0; cat; echo read
        - name: group
          command: read -r pid comm state ppid pgrp session rest </proc/$$/stat; echo $$ $pgrp $session
    `)
    expect(run.out('input')).to.equal('/dev/null\nread\n')
    const [leader, ...group] = run.out('group').trim().split(' ')
    expect(group).to.deep.equal([leader, leader])
  })

  it("4.1.10 exit code: the process's; killed by signal = -1; program not found 127, not executable 126", async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'plain'), 'echo no', { mode: 0o644 })
    const run = await live.run(`
      type: graph
      workingDir: ${folder}
      steps:
        - {name: seven, command: exit 7}
        - {name: most, command: exit 255}
        - {name: like a signal, command: exit 143}
        - {name: killed, command: kill -KILL $$}
        - {name: terminated, command: kill -TERM $$}
        - {name: missing in shell, command: no-such-program-here}
        - {name: plain in shell, command: ./plain}
        - {name: missing, command: no-such-program-here, script: x}
        - {name: plain, command: ./plain, script: x}
    `)
    expect(run.status).to.equal('failed')
    const codes = Object.fromEntries(run.nodes.map(({ node: { step, exitCode } }) => [step, exitCode]))
    expect(codes).to.deep.equal({
      seven: 7,
      most: 255,
      'like a signal': 143,
      killed: -1,
      terminated: -1,
      'missing in shell': 127,
      'plain in shell': 126,
      missing: 127,
      plain: 126
    })
    expect(run.node('killed')).to.include({
      signal: 'killed',
      error: 'failed to execute step "killed": signal: killed'
    })
    expect(run.node('terminated')).to.include({ signal: 'terminated' })
    expect(run.node('like a signal')).not.to.have.property('signal')
  })

  it('a text that holds a NUL character cannot be executed and says so', async () => {
    const run = await live.run('steps: [{name: nul, command: "echo a\\0b"}]').catch((error) => error)
    const said = run instanceof Error ? run.message : run.node('nul').error
    expect(said).to.match(/NUL/)
  })
})
