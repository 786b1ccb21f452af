/** What the README shows works when pasted. Its commands of docker are those of test/e2e/operating/container. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { blocksOf } from '../support/docs/blocks.ts'
import { shellIn } from '../support/docs/pasting.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/homes.ts'
import { eventually } from '../support/waiting.ts'

const project = fileURLToPath(new URL('../../../', import.meta.url))
const readme = readFileSync(join(project, 'README.md'), 'utf8')
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(readme)?.[1] ?? ''

/** The checkout as it is built, in a folder of its own: what is tested may lie there without its history. */
function checkout(): string {
  const folder = temporaryFolder()
  cpSync(join(project, 'Makefile'), join(folder, 'Makefile'))
  cpSync(join(project, 'fixtures/examples'), join(folder, 'fixtures/examples'), { recursive: true })
  symlinkSync(join(project, 'dist'), join(folder, 'dist'))
  const git = ['-C', folder, '-c', 'user.name=N', '-c', 'user.email=n@example.org']
  for (const words of ['init -q', 'add fixtures', 'commit -q -m first'])
    execFileSync('git', [...git, ...words.split(' ')])
  return folder
}

describe('README', () => {
  it('the first hour: make run serves the examples, and each command finds what the one before has done', async () => {
    const folder = checkout()
    const port = `${await freePort()}`
    const address = `http://127.0.0.1:${port}`
    const shell = shellIn(folder, [['http://127.0.0.1:8080', address]], { ENGINE_PORT: port })
    // All of the Makefile but the build, which would change under other tests what they run.
    shell.install('make', 'PATH=${PATH#*:} exec make -o build "$@"')
    const [run = '', requests = '', commands = ''] = blocksOf('README.md', 'sh')
    const ending = new AbortController()
    const server = shell.paste(run, { ending: ending.signal })
    try {
      await eventually('a server', async () => (await fetch(address).catch(() => undefined))?.ok || undefined)
      const [start = '', look = ''] = requests.trim().split('\n')
      const started = await shell.paste(start)
      expect(JSON.parse(started.out)).to.have.all.keys('dagRunId')
      const [, promised = 'nothing'] = /when it has ended, it contains `(.*?)`/.exec(readme) ?? []
      await eventually('the end', async () => {
        const { out } = await shell.paste(look)
        expect(out).to.contain('"dagRun"')
        return out.includes(promised) || undefined
      })
      const { code, out } = await shell.paste(commands)
      expect(code, out).to.equal(0)
      expect(out.match(/# Git report/g), 'from start and from logs').to.have.length(2)
      expect(out).to.match(/─ ✓ check +succeeded/)
      // Two users of a machine must not meet in a folder for all.
      expect(readFileSync(join(folder, 'troupe-examples/git-report/report.md'), 'utf8')).to.contain('Git report')
    } finally {
      ending.abort()
      await server
    }
  })

  it('make test is what decides what lands', () => {
    // It cannot be run by a test that it runs.
    const [last = ''] = blocksOf('README.md', 'sh').slice(-1)
    expect(readFileSync(join(project, '.ci/run'), 'utf8').split('\n')).to.include(last.trim())
    const { stdout } = spawnSync('make', ['-n', '-o', 'build', '-o', 'setup', ...last.trim().split(' ').slice(1)], {
      cwd: project,
      encoding: 'utf8'
    })
    expect(stdout).to.contain('biome check').and.contain('node dist/test/all.js')
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
