/** What runs a script, and what is in it by then. Source: execution-semantics 4.3. */
import { existsSync, readdirSync } from 'node:fs'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

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
