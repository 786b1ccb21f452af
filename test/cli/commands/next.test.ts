/** What a person at a terminal is told beside a result: where to look, what to ask. Source: docs/cli.md. */
import { expect } from 'chai'
import { hintAtPage, hintAtQuestions } from '../../../src/cli/foreground/hints.ts'
import { command, scene } from '../../support/cli/cli-scene.ts'
import { nodeChanges, stage } from '../../support/cli/fake-cli-engine.ts'
import { detailsOf, viewOf } from '../../support/cli/run-views.ts'

const SIZE = { columns: 80, rows: 24 }
const ID = '01a223ea-f9d3-7000-8000-00003fe2a91c'
const ASKED = 'why: troupe explain etl:3fe2a91c\noutput: troupe logs etl:3fe2a91c\n'

describe('command line › what to ask next, on a terminal', () => {
  function failing(size?: typeof SIZE) {
    const { home, engine } = scene()
    engine.acts.set('etl', (key) => {
      nodeChanges(engine, key, 'first', { status: 'failed', startedAt: 1_000, finishedAt: 1_500 })
      engine.end(key, 'failed')
    })
    return { home, engine, here: stage(home, engine, size) }
  }
  it('after a failure: explain and logs, of this run', async () => {
    const { home, engine, here } = failing(SIZE)
    expect(await command('start', here, 'etl', '-r', ID)).to.equal(1)
    expect(here.written.err).to.equal(ASKED)
    const looker = stage(home, engine, SIZE)
    await command('status', looker, 'etl', '--home', home)
    expect(looker.written.err).to.equal(
      `why: troupe explain etl:3fe2a91c --home ${home}\noutput: troupe logs etl:3fe2a91c --home ${home}\n`
    )
  })
  it('of a run that goes on or has succeeded: its output; of one that has not begun: why', async () => {
    const { home, engine } = scene()
    const told = async (...words: string[]) => {
      const looker = stage(home, engine, SIZE)
      await command('status', looker, ...words)
      return looker.written.err
    }
    engine.addRun({ name: 'etl', dagRunId: 'q1', status: 'queued' })
    expect(await told('etl')).to.equal('why: troupe explain etl:q1\n')
    const key = await engine.start({ file: '/other.yaml', dagRunId: 'r1' })
    nodeChanges(engine, key, 'first', { status: 'running', startedAt: 1_000 })
    expect(await told('other')).to.equal('output: troupe logs other:r1 --follow\n')
    engine.end(key, 'succeeded')
    expect(await told('other')).to.equal('output: troupe logs other:r1\n')
  })
  it('of one that waits for somebody: how to answer it', () => {
    const { here } = failing(SIZE)
    const run = detailsOf(viewOf([{ step: 'ask first', status: 'running', startedAt: 1 }]))
    const asking = (kind: 'approval' | 'sleep') => {
      const waitingFor = { for: kind, ask: '', since: '', until: '' }
      hintAtQuestions(
        here,
        { text: {}, on: new Set() },
        Object.assign(run, { nodes: run.nodes.map((node) => Object.assign(node, { waitingFor })) })
      )
    }
    asking('approval')
    asking('sleep')
    expect(here.written.err).to.equal(
      "answer: troupe approve etl:r1 'ask first'\noutput: troupe logs etl:r1 --follow\noutput: troupe logs etl:r1 --follow\n"
    )
  })
  it('a server elsewhere is named without what the address has of a password', () => {
    const { here } = failing(SIZE)
    const remote = { url: 'https://troupe.example.org', baseUrl: '' }
    const args = { text: { url: 'https://ann:s3cret@troupe.example.org' }, on: new Set<string>() }
    hintAtQuestions({ ...here, remote }, args, detailsOf(viewOf([])))
    expect(here.written.err).to.equal('why: troupe explain etl:r1 --url https://troupe.example.org\n')
  })
  it('nothing of it in a pipe, with --json or with --quiet', async () => {
    for (const [size, ...flags] of [[undefined], [SIZE, '--json'], [SIZE, '--quiet']] as const) {
      const { home, engine, here } = failing(size)
      await command('start', here, 'etl', '-r', ID, ...flags)
      const looker = stage(home, engine, size)
      await command('status', looker, 'etl', ...flags)
      expect(here.written.err + looker.written.err, flags.join()).to.not.contain('troupe ')
    }
  })
  it('a start says where the page shows the run, when a server is there', async () => {
    const { engine, here } = failing(SIZE)
    const remote = { url: 'https://troupe.example.org', baseUrl: 'https://troupe.example.org/api/v2' }
    const args = { text: {}, on: new Set<string>() }
    hintAtPage({ ...here, remote }, args, {}, { name: 'etl', dagRunId: 'r1' })
    hintAtPage(here, args, { page: 'http://127.0.0.1:8080' }, { name: 'a b', dagRunId: 'r1' })
    hintAtPage(here, args, {}, { name: 'etl', dagRunId: 'r1' })
    expect(here.written.err).to.equal(
      'page: https://troupe.example.org/#/runs/etl/r1\npage: http://127.0.0.1:8080/#/runs/a%20b/r1\n'
    )
    expect(engine.started).to.deep.equal([])
  })
})
