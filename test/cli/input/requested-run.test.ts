/** How a run is named on the command line, by every command alike. Source: docs/cli.md "An overview". */
import { expect } from 'chai'
import { commands } from '../../../src/cli/input/commands.ts'
import { command, refusal, scene } from '../../support/cli/cli-scene.ts'
import { type Stage, stage } from '../../support/cli/fake-cli-engine.ts'

const OLD = '01a223ea-f9d3-7000-8000-00003fe2a91c'
const NEW = '01a223ea-f9d3-7000-8000-0000bb01ccee'
const LONG = `nightly-${'x'.repeat(50)}-0001`

function home() {
  const { home, engine } = scene()
  engine.addRun({ name: 'etl', dagRunId: OLD, status: 'failed', createdAt: 1, finishedAt: 2 })
  engine.addRun({ name: 'etl', dagRunId: NEW, status: 'failed', createdAt: 3, finishedAt: 4 })
  engine.addRun({ name: 'other', dagRunId: 'r1', status: 'failed', createdAt: 5, finishedAt: 6 })
  for (let number = 10; number < 20; number++)
    engine.addRun({ name: 'other', dagRunId: `r${number}`, status: 'failed', createdAt: number, finishedAt: number })
  engine.addRun({ name: 'many', dagRunId: LONG, status: 'failed', createdAt: 7, finishedAt: 8 })
  engine.acts.set('etl', (key) => engine.end(key, 'succeeded'))
  return { engine, here: () => stage(home, engine) }
}

/** The run that `status` shows. */
async function shown(here: Stage, ...words: string[]): Promise<string> {
  await command('status', here, ...words, '--json')
  const { name, dagRunId } = JSON.parse(here.written.out)
  return `${name}:${dagRunId}`
}

describe('command line › the run that is asked for', () => {
  it('NAME is its newest run; NAME:ID, NAME:latest, an id alone, latest; an id that is longer than a name', async () => {
    const { here } = home()
    const cases: [string[], string][] = [
      [['etl'], `etl:${NEW}`],
      [['etl.yaml'], `etl:${NEW}`],
      [['etl:latest'], `etl:${NEW}`],
      [['etl', '-r', 'latest'], `etl:${NEW}`],
      [[`etl:${OLD}`], `etl:${OLD}`],
      [['./etl.yaml:latest'], `etl:${NEW}`],
      [['etl', '-r', OLD], `etl:${OLD}`],
      [[OLD], `etl:${OLD}`],
      [['r1'], 'other:r1'],
      [['latest'], 'other:r19'],
      [[LONG], `many:${LONG}`]
    ]
    for (const [words, run] of cases) expect(await shown(here(), ...words), words.join(' ')).to.equal(run)
  })
  it('an id may be its beginning or end, of six characters or more, alone, after a name, or as --run-id', async () => {
    const { here } = home()
    for (const words of [['3fe2a91c'], ['e2a91c'], ['etl:3fe2a91c'], ['etl', '-r', '3fe2a91c']])
      expect(await shown(here(), ...words), words.join(' ')).to.equal(`etl:${OLD}`)
    expect(await shown(here(), 'nightly-xxx')).to.equal(`many:${LONG}`)
    expect(await refusal('status', here(), '2a91c')).to.contain('2a91c has no runs in the home')
    expect(await refusal('status', here(), 'etl:2a91c')).to.equal(
      `there is no run 2a91c of etl; its newest is ${NEW} (or say latest)`
    )
    expect(await refusal('status', here(), 'f9d3-7000'), 'its middle is none').to.contain('has no runs')
  })
  it('one that several runs have is an error that lists them', async () => {
    const { engine, here } = home()
    expect(await refusal('logs', here(), '01a223ea')).to.equal(
      `wanted one run, found 2 whose id begins or ends with 01a223ea: etl:${NEW}, etl:${OLD}; name one of them`
    )
    engine.addRun({ name: 'etl', dagRunId: 'r1', status: 'failed', createdAt: 1 })
    expect(await refusal('logs', here(), 'r1')).to.equal(
      'wanted one run, found 2 whose id is r1: other:r1, etl:r1; name one of them'
    )
    expect(await refusal('logs', here(), 'etl:r1', '-r', 'r2')).to.equal('wanted one run, found etl:r1 and --run-id r2')
  })
  it('every command reads it here: none says that it is no definition', async () => {
    const { here } = home()
    const more: Record<string, string[]> = { at: ['--event', '1'], diff: ['etl:none'], 'set-status': ['failed'] }
    for (const { name, operand = '' } of commands.filter(({ operand }) => /RUN/.test(operand ?? ''))) {
      const words = [...(operand.includes(' STEP') ? ['s'] : []), ...(more[name] ?? [])]
      if (name === 'open') continue // it looks for a server first
      expect(await refusal(name, here(), 'etl:none', ...words), name).to.contain('there is no run none of etl')
    }
  })
  it('retry, stop, restart, dequeue and start take it, too; stop and restart take a name for its running runs', async () => {
    const { engine, here } = home()
    for (const words of [['3fe2a91c'], ['etl:3fe2a91c'], ['etl', '-r', '3fe2a91c']])
      await command('retry', here(), ...words)
    await command('retry', here(), 'etl')
    expect(engine.asked.retry.map(([{ dagRunId }]) => dagRunId)).to.deep.equal([OLD, OLD, OLD, NEW])
    await command('start', here(), 'etl', '--from-run-id', '3fe2a91c')
    expect(engine.started.at(-1)?.fromRun).to.deep.equal({ name: 'etl', dagRunId: OLD })
    engine.addRun({ name: 'other', dagRunId: 'queued-0001', status: 'queued', createdAt: 30 })
    expect(await refusal('dequeue', here(), '-d', 'ed-0001')).to.equal('exit 0')
    engine.acts.clear()
    for (const dagRunId of ['running-1', 'running-2']) await engine.start({ file: '/etl.yaml', dagRunId })
    const { runs } = engine
    engine.runs = (filter) => (filter?.from === undefined ? runs(filter) : []) // they are of an earlier engine
    expect(await refusal('stop', here(), 'ning-1')).to.equal('exit 0')
    expect(engine.stopped).to.deep.equal([{ name: 'etl', dagRunId: 'running-1' }])
    expect(await refusal('restart', here(), OLD)).to.contain(`run ${OLD} of etl is not running`)
    expect(await refusal('stop', here(), 'etl')).to.equal('exit 0')
    expect(engine.stopped.map(({ dagRunId }) => dagRunId)).to.deep.equal(['running-1', 'running-2'])
  })
})
