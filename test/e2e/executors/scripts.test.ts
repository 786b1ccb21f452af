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
})
