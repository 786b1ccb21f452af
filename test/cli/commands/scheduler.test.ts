/** `troupe scheduler`. Source: api-semantics 6.4, 11. */
import { expect } from 'chai'
import { run } from '../../../src/cli/commands/scheduler.ts'
import { version } from '../../../src/cli/commands/version.ts'
import { readArguments } from '../../../src/cli/input/arguments.ts'
import { commands } from '../../../src/cli/input/commands.ts'
import { readConfig, type Settings } from '../../../src/config.ts'
import { fakeCliEngine, settled, stage } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('troupe scheduler', () => {
  it('scheduler.port 0: no port; it follows schedules, opens no API, samples no resources, and ends on a signal', async () => {
    const command = commands.find(({ name }) => name === 'scheduler')
    if (!command) throw new Error('no command scheduler')
    const home = temporaryFolder()
    const settings = (given: Settings) => readConfig({ home, ...given }, { ENGINE_SCHEDULER_PORT: '0' })
    const engine = fakeCliEngine(home)
    const here = stage(home, { ...engine, config: settings({}) })
    let given: object = {}
    const going = run(await readArguments(command, ['-d', 'flows']), {
      ...here,
      configure: settings,
      createEngine: async (options) => {
        given = options
        return here.createEngine(options)
      },
      serve: () => Promise.reject(new Error('there is no API'))
    })
    await settled()
    expect(given).to.include({ schedules: true, dagsDir: 'flows' }).and.not.to.have.property('monitoring')
    expect(here.written.out).to.equal(`Troupe ${version()} follows its schedules\n  definitions  ${home}/dags\n`)
    here.interrupt()
    expect(await going).to.equal(0)
  })
})
