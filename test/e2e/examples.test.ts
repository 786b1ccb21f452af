/** The example workflows do real work on real data. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { createEngine, type Engine, type RunView } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'
import { eventually } from '../support/waiting.ts'

const examples = fileURLToPath(new URL('../../../fixtures/examples', import.meta.url))

describe('fixtures/examples', () => {
  let engine: Engine
  before(async () => {
    engine = await createEngine({ temporary: true, dagsDir: examples })
  })
  after(() => engine.close())

  const run = async (fileName: string, params: string): Promise<RunView> =>
    engine.result(await engine.start({ fileName, params }))
  const statusOf = ({ nodes }: RunView, step: string) => nodes.find(({ node }) => node.step === step)?.node.status

  it('git-report: a chain with outputs and JSON paths over a git history', async () => {
    const repository = temporaryFolder()
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada "L"', '-c', 'user.email=ada@example.org', ...words], {
        cwd: repository
      })
    git('init', '-q')
    for (const text of ['one', 'two', 'three']) {
      writeFileSync(join(repository, 'file.txt'), text)
      git('add', '.')
      git('commit', '-q', '-m', `write ${text}`)
    }
    const out = temporaryFolder()
    const view = await run('git-report', `REPO="${repository}" OUT="${out}"`)
    expect(view.run.status, JSON.stringify(view.nodes.map(({ node }) => node))).to.equal('succeeded')
    const stats = JSON.parse(view.nodes.find(({ step }) => step.output === 'STATS')?.node.output ?? '{}')
    expect(stats).to.deep.include({ commits: 3 })
    const written = readdirSync(join(out, 'git-report')).map((file) =>
      readFileSync(join(out, 'git-report', file), 'utf8')
    )
    expect(written.join('\n')).to.include('Ada').and.to.include('file.txt')
  })

  it('git-report: a folder without a history does not proceed, and says why', async () => {
    const { run: record, preconditions } = await run(
      'git-report',
      `REPO="${temporaryFolder()}" OUT="${temporaryFolder()}"`
    )
    expect(record.status).to.equal('canceled')
    expect(preconditions.filter(({ matched }) => !matched)).to.have.length.above(0)
  })

  it('backup: a graph with parallel steps, preconditions, checksum verification and an exit handler', async () => {
    const source = temporaryFolder()
    mkdirSync(join(source, 'sub'))
    writeFileSync(join(source, 'a file'), 'content')
    writeFileSync(join(source, 'sub', 'b'), 'more')
    const out = temporaryFolder()
    const view = await run('backup', `SOURCE="${source}" OUT="${out}"`)
    expect(view.run.status, JSON.stringify(view.nodes.map(({ node }) => node))).to.equal('succeeded')
    expect(statusOf(view, 'verify')).to.equal('succeeded')
    expect(view.handlers.onExit?.node.status).to.equal('succeeded')
    const [archive = ''] = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.tar(\.gz)?$/.test(file)
    )
    expect(execFileSync('tar', ['-tf', join(out, archive)], { encoding: 'utf8' })).to.include('a file')
  })

  it('log-analysis: a retry that succeeds, and a failing branch that is continued', async () => {
    const out = temporaryFolder()
    const view = await run('log-analysis', `OUT="${out}"`)
    expect(view.run.status).to.equal('partially_succeeded')
    expect(view.nodes.some(({ node }) => node.retryCount > 0 && node.status === 'succeeded')).to.equal(true)
    expect(view.nodes.some(({ node }) => node.status === 'failed' && node.continues)).to.equal(true)
    expect(existsSync(join(out, 'log-analysis'))).to.equal(true)
  })

  it('purchase: an approval, a signal with a payload and a sleep; a refusal skips the rest', async () => {
    const begin = () => engine.start({ fileName: 'purchase', params: 'ITEM="two lamps" PAUSE=PT0S' })
    const key = await begin()
    await eventually('the question', () =>
      engine.waiting({ step: 'approve' }).find(({ ask }) => ask === 'Buy two lamps for 60 euros?')
    )
    await engine.signal({ ...key, step: 'delivered' }, { pieces: 2 }) // before its step
    await engine.signal({ ...key, step: 'approve' }, { approved: true })
    const view = await engine.result(key)
    expect(view.run.status, JSON.stringify(view.nodes.map(({ node }) => node))).to.equal('succeeded')
    expect(view.nodes.at(-1)?.node.output).to.equal('2 pieces of two lamps, good')
    const refused = await begin()
    await engine.signal({ ...refused, step: 'approve' }, { approved: false })
    const { nodes } = await engine.result(refused)
    expect(nodes.map(({ node }) => node.status)).to.deep.equal([
      'succeeded',
      'skipped',
      'skipped',
      'skipped',
      'skipped'
    ])
  })
})
