/** The dotenv file that every DAG has by default. Source: execution-semantics 3.3, 3.4, 3.7. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('dotenv', () => {
  const live = liveEngine()
  const folderWith = (text: string) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.env'), text)
    return folder
  }

  it('3.7.1 a syntax error: one warning in the run log, no variables, and the run goes on', async () => {
    const folder = folderWith('GOOD=1\nBAD "hunter2')
    const run = await live.run(
      `workingDir: ${folder}\nparams: "A=$HOME"\nsteps: [{name: shows, command: 'echo "<$GOOD>"'}]`
    )
    expect(run.out('shows')).to.equal('<>\n')
    const warnings = textOf(run.run.log)
      .split('\n')
      .filter((line) => line.includes('level=WARN'))
    expect(warnings).to.have.length(1)
    expect(warnings[0])
      .to.contain(`${folder}/.env is not used: line 2: wanted NAME=value`)
      .and.not.to.contain('hunter2')
  })

  it('its values are never stored', async () => {
    const folder = folderWith('TOKEN=hunter2-is-nowhere')
    const run = await live.run(`workingDir: ${folder}\nenv: {COPY: "\${TOKEN}"}\nsteps: ['test -n "$TOKEN"']`)
    expect(run.status).to.equal('succeeded')
    const { dataDir, logDir } = live.engine.config
    for (const home of [dataDir, logDir])
      for (const entry of readdirSync(home, { recursive: true, withFileTypes: true }))
        if (entry.isFile())
          expect(readFileSync(join(entry.parentPath, entry.name)).includes('hunter2-is-nowhere'), entry.name).to.equal(
            false
          )
  })
})
