/** What the README shows works when pasted. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { program, runningServer } from '../support/cli/program.ts'

const project = fileURLToPath(new URL('../../../', import.meta.url))
const readme = readFileSync(join(project, 'README.md'), 'utf8')
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(readme)?.[1] ?? ''

describe('README', () => {
  it('the first hour: server and commands use one home, so that each command finds what the one before has done', async () => {
    const makefile = readFileSync(join(project, 'Makefile'), 'utf8')
    const [, argv = ''] = /^run: .*\n\tnode dist\/bin\/troupe\.js start-all (.*)$/m.exec(makefile) ?? []
    expect(argv.split(' ')).to.include('--dags').and.not.include('--home')
    const commands = [...readme.matchAll(/^node dist\/bin\/troupe\.js (.*)$/gm)].map(([, words = '']) => words)
    expect(commands).to.have.length.at.least(3)
    const server = await runningServer({}, { argv: ['--port', '0', '--dags', join(project, 'fixtures', 'examples')] })
    try {
      const { folder } = server
      const environment = { ENGINE_HOME: folder }
      // What is tested may lie there without its history.
      const git = ['-C', folder, '-c', 'user.name=N', '-c', 'user.email=n@example.org']
      execFileSync('git', [...git, 'init', '-q'])
      execFileSync('git', [...git, 'commit', '-q', '--allow-empty', '-m', 'first'])
      for (const words of commands) {
        const params = words.startsWith('start ') ? ['--', `REPO=${folder}`] : []
        const { code, written } = program(project, environment, ...words.split(' '), ...params)
        expect(await code, `${words}: ${written.err}`).to.equal(0)
        expect(written.out, words).to.contain('report')
      }
      // Two users of a machine must not meet in a folder for all.
      expect(readFileSync(join(folder, 'troupe-examples/git-report/report.md'), 'utf8')).to.contain('Git report')
    } finally {
      await server.end()
    }
  })

  it('embedding: the lines run as they are, and are at most ten', () => {
    const code = block('js')
    expect(code.trim().split('\n').filter(Boolean)).to.have.length.at.most(10)
    // Inside the package, so that its name resolves to it.
    const folder = mkdtempSync(join(project, 'dist', 'readme-'))
    try {
      writeFileSync(join(folder, 'embed.mjs'), code)
      const said = execFileSync(process.execPath, [join(folder, 'embed.mjs')], { encoding: 'utf8' })
      expect(said).to.match(/succeeded Hello, host\n$/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
