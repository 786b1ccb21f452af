/** Schedules of real files, with a clock that stands just before a minute. Source: execution-semantics 11.14 to 11.16. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { serveLocal } from '../../../src/api/owner/local.ts'
import { socketPath } from '../../../src/api/owner/socket-path.ts'
import { systemClock } from '../../../src/clock.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { served } from '../../api/client.ts'
import { program } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { almost } from '../../support/simulated/almost.ts'
import { eventually } from '../../support/waiting.ts'

const text = 'schedule: "* * * * *"\nsteps:\n  - echo hi\n'

describe('schedules of files', () => {
  let engine: Engine | undefined
  afterEach(() => engine?.close({ runs: 'stop' }))
  const open = async (schedules: boolean) => {
    const home = temporaryFolder()
    mkdirSync(join(home, 'dags', 'below'), { recursive: true })
    mkdirSync(join(home, 'suspend'))
    engine = await createEngine({ home, schedules, clock: almost(), defaultShell: 'sh' })
    return { home, engine, put: (name: string) => writeFileSync(join(home, 'dags', `${name}.yaml`), text) }
  }

  it('11.15 a file that came less than a second before the minute is started; 11.14 a suspended one, 11.16 one in a subfolder, and one that is gone are not', async () => {
    const { home, engine, put } = await open(true)
    for (const name of ['gone', 'held', 'new', 'below/deep']) put(name)
    writeFileSync(join(home, 'suspend', 'held.suspend'), '')
    rmSync(join(home, 'dags', 'gone.yaml'))
    await eventually('the run', () =>
      engine.latest('new')?.status === 'succeeded' && engine.decisions().length === 2 ? true : undefined
    )
    expect(
      engine.decisions().map(({ fileName, reason, outcome }) => `${fileName} ${reason ?? outcome}`)
    ).to.have.members(['held suspended', 'new fired'])
    expect(engine.runs().map(({ name }) => name)).to.deep.equal(['new'])
  })
  it('its decisions can be read over HTTP, from the command line of the same user, and without a running engine', async () => {
    const { home, engine: owner, put } = await open(true)
    for (const name of ['held', 'new']) put(name)
    writeFileSync(join(home, 'suspend', 'held.suspend'), '')
    await eventually('both decisions', () => (owner.decisions().length === 2 ? true : undefined))
    const server = await served(owner)
    const { json } = await server.call('GET', '/dags/held/decisions')
    await server.close()
    expect(json).to.deep.include({ next: null })
    expect(json.decisions[0]).to.include({ fileName: 'held', outcome: 'skipped', reason: 'suspended' })
    expect(json.decisions[0]).to.include({ slotMs: Date.UTC(2026, 2, 2, 10, 1) })
    const local = await serveLocal(owner, await socketPath(owner.config.dataDir))
    const troupe = async (...words: string[]) => {
      const { code, written } = program(home, { ENGINE_HOME: home, ENGINE_TZ: 'UTC' }, 'decisions', ...words)
      return { code: await code, ...written }
    }
    const asked = await troupe()
    const one = await troupe('held.yaml', '--json')
    await local.close()
    expect(one.out).to.equal(`${JSON.stringify(json)}\n`)
    const lines = asked.out.trimEnd().split('\n')
    expect(lines).to.have.length(2)
    expect(asked.out).to.match(
      /^ +\d 2026-03-02 10:01 held {2}start {4}skipped {2}suspended: the definition was suspended$/m
    )
    expect(asked.out).to.match(/^ +\d 2026-03-02 10:01 new {3}start {4}fired {4}run [-0-9a-f]{36}$/m)
    await eventually('the run', () => (owner.latest('new')?.status === 'succeeded' ? true : undefined))
    await owner.close()
    engine = undefined
    expect(await troupe()).to.deep.equal(asked)
    expect((await troupe('--limit', '1')).out.split(' ').filter(Boolean)).to.deep.equal(
      `${lines[0]}\n`.split(' ').filter(Boolean)
    )
    expect((await troupe('nobody')).out).to.equal('no scheduled minute has been decided\n')
    expect(await troupe('--limit', '0')).to.deep.include({
      code: 1,
      err: 'Error: --limit: wanted a number from 1 on, found "0"\n'
    })
  })
  it('an engine that was not asked to follows no schedule', async () => {
    const { engine, put } = await open(false)
    put('new')
    await new Promise((resolve) => systemClock.at(systemClock.now() + 2_500, () => resolve(undefined)))
    expect([engine.runs(), engine.decisions()]).to.deep.equal([[], []])
  })
})
