/** docs/cli.md: the commands that show runs, queues and decisions do what their sections say, as they stand there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeTmux, openTmux } from '../../support/cli/tmux.ts'
import { commandsOf, others, SECTIONS, type Sections } from '../../support/docs/cli-page.ts'
import { type EtlHome, etlHome } from '../../support/docs/etl-home.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { scheduled, schedules, utc } from '../../support/simulated/schedules.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { eventually } from '../../support/waiting.ts'

/** A home whose scheduler has decided about the last 29 February: `etl` was suspended. */
async function decidedHome(): Promise<string> {
  const folder = temporaryFolder()
  const files = schedules()
  files.put('etl', 'schedule: "0 6 29 2 *"\nsteps: [{name: a, command: x}]\n')
  files.suspended.add('etl')
  const engine = await scheduled(folder, files, simulatedClock(utc('2024-02-29T05:59:30')))
  await engine.until(utc('2024-02-29T06:00:30'))
  await engine.store.root.close()
  return folder
}

describe('docs/cli.md › looks', function () {
  this.timeout(120_000)
  let home: EtlHome
  before(async () => {
    home = await etlHome({ folder: await decidedHome() })
    await home.ask('/dags/etl/start', { dagRunId: 'r1' })
    await home.ended('etl', 'r1')
    home.put('broken')
    await home.ask('/dags/etl/start', { dagRunId: 'r2', params: 'DAY=2026-03-02' })
    await home.ended('etl', 'r2')
    home.remove('broken')
  })
  after(async () => {
    // Its step would outlive the server.
    await home?.ask('/dag-runs/etl/r6/dequeue', {})
    await home?.ask('/dag-runs/etl/r5/stop', {})
    await home?.ended('etl', 'r5')
    await home?.server.end()
  })

  async function pasted(title: string, until?: (out: string) => unknown): Promise<string> {
    const { code, out } = await home.shell.paste(commandsOf(title)[0], {
      cwd: home.dags,
      until: (text) => !!until?.(text)
    })
    expect(code, out).to.equal(0)
    return out
  }
  /** Of a command that follows a run: what it prints until that goes on, and then. */
  async function followed(title: string, dagRunId: string, first: string): Promise<string> {
    await home.held(dagRunId)
    let isOn = false
    return pasted(title, (out) => {
      if (!isOn && out.includes(first)) home.put('go')
      isOn ||= out.includes(first)
    })
  }

  const sections: Sections<'cli-looks'> = {
    async 'troupe list'() {
      expect(await pasted('troupe list'))
        .to.match(/^etl +✗ failed .* 2028-02-29 06:00$/m)
        .and.match(/^order /m)
    },
    async 'troupe runs'() {
      expect(await pasted('troupe runs'))
        .to.match(/^✗ failed +etl +r2 /m)
        .and.not.contain('r1')
    },
    async 'troupe status'() {
      expect(await pasted('troupe status'))
        .to.contain('run r2')
        .and.match(/✗ load +failed .*exit status 3/)
    },
    async 'troupe diff'() {
      expect(await pasted('troupe diff'))
        .to.contain('+ DAY=2026-03-02')
        .and.match(/load +✓ succeeded .* ✗ failed/)
    },
    async 'troupe open'() {
      expect(await pasted('troupe open')).to.equal(`${home.server.address}/#/runs/etl/r2\n`)
    },
    async 'troupe explain'() {
      expect(await pasted('troupe explain'))
        .to.contain('load ended with code 3')
        .and.not.contain('extract')
    },
    async 'troupe inspect'() {
      expect(await pasted('troupe inspect'))
        .to.match(/^stateDiagram-v2\n/)
        .and.contain('state "preparing"')
    },
    async 'troupe at'() {
      expect(await pasted('troupe at'))
        .to.contain('event 12 of 12')
        .and.match(/load +failed +since/)
    },
    async 'troupe sequence'() {
      expect(await pasted('troupe sequence')).to.equal('')
      const diagram = readFileSync(join(home.dags, 'etl.mmd'), 'utf8')
      expect(diagram)
        .to.match(/^sequenceDiagram\n/)
        .and.contain('as node load')
    },
    async 'troupe decisions'() {
      expect(await pasted('troupe decisions')).to.match(/2024-02-29 06:00.*skipped.*suspended/)
    },
    async 'troupe logs'() {
      const out = await followed('troupe logs', 'r3', 'extract | ')
      expect(out).to.equal('extract | extracted 2026-01-01\nload | loaded 2026-01-01\n')
    },
    async 'troupe events'() {
      const out = await followed('troupe events', 'r4', 'node transform')
      expect(out)
        .to.match(/node load .*> succeeded/)
        .and.match(/run +working > succeeded.*\n$/)
    },
    async 'troupe queues'() {
      await home.held('r5')
      await home.ask('/dags/etl/enqueue', { dagRunId: 'r6' })
      expect(await pasted('troupe queues')).to.match(/etl.*r5[\s\S]*r6/)
    },
    async 'troupe watch'() {
      const terminal = openTmux(
        { columns: 100, rows: 24 },
        { PATH: `${home.folder}/bin:${process.env.PATH}`, ENGINE_HOME: home.folder }
      )
      try {
        terminal.keys(commandsOf('troupe watch')[0].trim(), 'Enter')
        for (const row of [/queued +etl .*r6/, /running +etl .*r5/, /failed +etl .*r2/]) await terminal.shows(row)
        terminal.keys('q')
        await eventually('it has left', () => terminal.value('#{alternate_on}') === '0' || undefined)
      } finally {
        terminal.end()
      }
    }
  }
  for (const title of SECTIONS['cli-looks'].filter((one) => one !== 'troupe watch')) it(title, sections[title])
  for (const title of others) it(title, () => pasted(title))
  describeTmux('in a terminal', () => {
    it('troupe watch', sections['troupe watch'])
  })
})
