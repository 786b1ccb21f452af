/** docs/cli.md: the commands that start runs and act on them do what their sections say, as they stand there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { commandsOf, SECTIONS, type Sections } from '../../support/docs/cli-page.ts'
import { type EtlHome, etlHome } from '../../support/docs/etl-home.ts'
import { eventually } from '../../support/waiting.ts'

describe('docs/cli.md › runs', function () {
  this.timeout(120_000)
  let home: EtlHome
  before(async () => {
    home = await etlHome()
  })
  after(() => home?.server.end())

  async function pasted(title: string): Promise<string> {
    const { code, out } = await home.shell.paste(commandsOf(title)[0], { cwd: home.dags })
    expect(code, out).to.equal(0)
    return out
  }
  /** What `troupe waiting` is about. */
  const waitsFor = (step: string) =>
    eventually(`order waits for ${step}`, async () => {
      const { waiting } = await home.ask('/waiting')
      return waiting?.some((one) => one.step === step) || undefined
    })

  const sections: Sections<'cli-runs'> = {
    async 'A run in the foreground'() {
      const out = await pasted('A run in the foreground')
      expect(readFileSync(join(home.dags, 'etl.out'), 'utf8')).to.equal(
        'extract | extracted 2026-01-01\ntransform | note none\nload | loaded 2026-01-01\n'
      )
      expect(out)
        .to.match(/✓ succeeded +load/)
        .and.contain('✓ etl  succeeded')
        .and.not.contain(' | ')
    },
    async 'troupe start'() {
      expect(await pasted('troupe start'))
        .to.contain('extracted 2026-03-01')
        .and.contain('note two words')
    },
    async 'troupe enqueue'() {
      const id = (await pasted('troupe enqueue')).trim()
      expect(await home.ended('etl', id)).to.equal('succeeded')
      const { dagRun } = await home.ask(`/dag-runs/etl/${id}`)
      expect(dagRun?.params).to.equal('DAY=2026-03-01 NOTE=none')
      const journal = await home.ask(`/dag-runs/etl/${id}/journal`)
      expect(JSON.stringify(journal)).to.contain('queue/nightly')
    },
    async 'troupe dequeue'() {
      await home.held('a1')
      await home.ask('/dags/etl/enqueue', { dagRunId: 'r1' })
      expect(await pasted('troupe dequeue')).to.contain('r1')
      expect(await home.ask('/dag-runs/etl/r1')).to.have.property('code', 'not_found')
    },
    async 'troupe stop'() {
      expect(await pasted('troupe stop')).to.contain('a1')
      expect(await home.ended('etl', 'a1')).to.equal('canceled')
    },
    async 'troupe restart'() {
      await home.held('a2')
      expect(await pasted('troupe restart'))
        .to.contain('load | loaded')
        .and.contain('✓ etl  succeeded')
      expect(await home.ended('etl', 'a2')).to.equal('canceled')
    },
    async 'troupe retry'() {
      home.put('broken')
      await home.ask('/dags/etl/start', { dagRunId: 'r1' })
      expect(await home.ended('etl', 'r1')).to.equal('failed')
      home.remove('broken')
      expect(await pasted('troupe retry'))
        .to.contain('load | loaded')
        .and.not.contain('extract |')
      expect(await home.ended('etl', 'r1')).to.equal('succeeded')
    },
    async 'troupe set-status'() {
      expect(await pasted('troupe set-status')).to.contain('step load is succeeded (run r1 of etl)')
    },
    async 'troupe waiting'() {
      await home.ask('/dags/order/start', { dagRunId: 'o1' })
      await waitsFor('paid')
      expect(await pasted('troupe waiting')).to.match(/^order +o1 +paid +signal /m)
    },
    async 'troupe signal'() {
      expect(await pasted('troupe signal')).to.contain('paid has got its signal')
      await waitsFor('ship')
    },
    async 'troupe approve'() {
      expect(await pasted('troupe approve')).to.contain('ship is approved')
      expect(await home.ended('order', 'o1')).to.equal('succeeded')
    }
  }
  for (const title of SECTIONS['cli-runs']) it(title, sections[title])
})
