/** From definition to process, with real shells. Source: execution-semantics 4.1-4.3. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { liveEngine } from '../support/live.ts'

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

  it('4.1.9 no stdin (null device), a process group and session of its own', async () => {
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

describe('shells of steps', () => {
  const live = liveEngine()
  const wordy = liveEngine({ defaultShell: 'bash -u' })

  it('4.2.1 which shell: step shell, DAG shell, the default', async () => {
    const named = await live.run(`
      shell: bash
      steps:
        - {name: of the DAG, command: 'echo "$0" \${BASH_VERSION:+bash}'}
        - {name: of the step, shell: dash, command: 'echo "$0" \${BASH_VERSION:+bash}'}
    `)
    expect(named.out('of the DAG')).to.equal('bash bash\n')
    expect(named.out('of the step')).to.equal('dash\n')
    const expanded = await live.run(`
      env: {NAMED: bash}
      params: OTHER=dash
      shell: "\${NAMED} -u"
      steps:
        - {name: of the DAG, command: 'echo "$0" $-'}
        - {name: of the step, shell: ["\${OTHER}"], command: 'echo "$0"'}
    `)
    expect(expanded.out('of the DAG')).to.match(/^bash \w*u/)
    expect(expanded.out('of the step')).to.equal('dash\n')
    const none = await live.run("steps: [{name: default, command: 'echo $0'}]")
    expect(none.out('default')).to.equal('sh\n')
  })

  it('4.2.2 -e is added when neither step nor DAG names a shell; one that is named is used exactly as written, without -e', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: default, command: false; echo reached}
        - {name: named, shell: sh, command: false; echo reached}
        - name: default script
          script: |
            false
            echo reached
        - name: named script
          shell: bash
          script: |
            false
            echo reached
    `)
    expect(run.statuses).to.deep.equal(['failed', 'succeeded', 'failed', 'succeeded'])
    expect(run.out('default') + run.out('default script')).to.equal('')
    expect(run.out('named') + run.out('named script')).to.equal('reached\nreached\n')
  })

  it('4.2.3 the string form is split like a command line: bash -euo pipefail; a list is program and flags verbatim', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: text, shell: bash -euo pipefail, command: false | true; echo reached}
        - {name: list, shell: [bash, -o, pipefail], command: false | true; echo $?}
        - {name: with -c, shell: [bash, -uc], command: 'echo "$0"'}
        - name: file
          shell: bash -uc
          script: echo "\${UNSET_NAME:-unset}"
    `)
    expect(run.node('text')).to.include({ status: 'failed', exitCode: 1 })
    expect(run.out('list')).to.equal('1\n')
    expect(run.out('with -c')).to.equal('bash\n')
    expect(run.out('file')).to.equal('unset\n')
  })

  it('4.2.3 a default shell with flags serves steps, conditions, params and backticks', async () => {
    const run = await wordy.run(`
      params: ["P=\`echo param\`"]
      env: ["E=\`echo env\`"]
      preconditions: ['test 1 = 1']
      steps:
        - name: all
          command: echo $P $E \`echo tick\` \${BASH_VERSION:+bash}
          preconditions:
            - condition: "\`echo condition\`"
              expected: condition
        - {name: unset, command: 'echo $UNSET_NAME'}
    `)
    expect(run.out('all')).to.equal('param env tick bash\n')
    expect(run.node('unset').error).to.contain('unbound variable')
  })
})

describe('scripts of steps', () => {
  const live = liveEngine()

  it('4.3.1 the script text is trimmed, variables replaced, written to a file that is deleted afterwards', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      params: WHO=you
      workingDir: ${folder}
      steps:
        - name: script
          script: |


            printf '%s\\n' "hello \${WHO}" "$0"
            stat -c %a "$0"
            wc -l <"$0"
    `)
    const [hello, path = '', mode, newlines] = run.out('script').split('\n')
    expect([hello, mode, newlines]).to.deep.equal(['hello you', '750', '2'])
    expect(existsSync(path), path).to.equal(false)
    expect(readdirSync(folder), 'nothing in the working directory').to.deep.equal([])
  })

  it('4.3.2 first line #!prog args: run by it, only when no shell was named on the step or DAG', async () => {
    const script = `
          script: |
            #!/usr/bin/env -S awk -f
            BEGIN { print "awk", ENVIRON["DAG_RUN_STEP_NAME"] }`
    const run = await live.run(`
      type: graph
      steps:
        - name: shebang${script}
        - name: flags
          script: |
            #!/bin/bash -u
            echo "$0" $- $UNSET_NAME
        - name: named
          shell: sh${script}
    `)
    expect(run.out('shebang')).to.equal('awk shebang\n')
    expect(run.node('flags').error).to.contain('unbound variable')
    expect(run.node('named').status).to.equal('failed')
  })

  it('4.3.3 the shebang is read after variable replacement', async () => {
    const run = await live.run(`
      params: PROG=/usr/bin/awk
      steps:
        - name: script
          script: |
            #!\${PROG} -f
            BEGIN { print "awk" }
    `)
    expect(run.out('script')).to.equal('awk\n')
  })

  it("scripts of other interpreters get values raw; here-documents, functions and quotes are the shell's", async () => {
    const run = await live.run(
      `
      steps:
        - name: awk
          command: awk -f
          script: |
            BEGIN { print length(ENVIRON["WORD"]), "\${1}$1" }
        - name: shell
          script: |
            greet() {
              cat <<EOT
            \${WORD} \\$HOME
            EOT
            }
            greet
            echo "\${WORD}" '\${WORD}' "$(echo "\${WORD}")"
    `,
      { params: '{"WORD": "say \\"hi\\" & $HOME"}' }
    )
    expect(run.out('awk')).to.equal('16 ${1}$1\n')
    expect(run.out('shell')).to.equal('say "hi" & $HOME $HOME\nsay "hi" & $HOME ${WORD} say "hi" & $HOME\n')
  })
})
