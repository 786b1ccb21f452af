/** Every command of the manual's page on the HTTP API works when pasted, one after another. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { liveApi } from '../support/api/live-api.ts'
import { temporaryFolder } from '../support/homes.ts'

const project = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(join(project, 'docs', 'http-api.md'), 'utf8')
const run = promisify(execFile)

describe('docs/http-api.md', () => {
  /** Commands may leave files. */
  const folder = temporaryFolder()
  const ops = { name: 'ops', url: 'http://127.0.0.1:1/', events: ['worker.lost'], secret: 'a secret of enough bytes' }
  const api = liveApi({ settings: { notify: [ops] } })
  const sections = page.split(/^## /m).slice(1)
  let variables = ''

  for (const section of sections) {
    const [title = ''] = section.split('\n', 1)
    const commands = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
      block.trim().split('\n')
    )
    it(title, async () => {
      expect(commands).not.to.deep.equal([])
      for (const command of commands) {
        const script = `API=http://127.0.0.1:${api.port}/api/v2\n${variables}\n`
        if (/^[A-Z]\w*=/.test(command)) variables += `\n${command}`
        const shown = command.startsWith('curl ') ? command.replace('curl ', "curl -w '\\n%{http_code}' ") : command
        const { stdout } = await run('sh', ['-c', script + shown], { cwd: folder })
        if (!command.startsWith('curl ')) continue
        expect(Number(stdout.trim().split('\n').at(-1)), `${command}\n${stdout}`).to.be.within(200, 204)
        // What was started is over before the next command looks at it, but for what is stopped, or answered, by a later one.
        const running = api.engine
          .runs({ status: ['running'] })
          .filter(({ name }) => name !== 'adhoc' && name !== 'order')
        await Promise.all(running.map((key) => api.engine.result(key)))
      }
    })
  }
})
