/** Schedules of real files, with a clock that stands just before a minute. Source: execution-semantics 11.14 to 11.16. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Clock, systemClock } from '../../src/clock.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'
import { eventually } from '../support/waiting.ts'

/** The system's clock, set to 1.5 s before a minute. */
function almost(): Clock {
  const offset = Date.UTC(2026, 2, 2, 10, 0, 58, 500) - systemClock.now()
  return {
    ...systemClock,
    now: () => systemClock.now() + offset,
    at: (dueAt, ring) => systemClock.at(dueAt - offset, ring)
  }
}
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

  it('11.15 a file that came less than a second before the minute is started; 11.14 a suspended one, 11.16 one below, one that has gone are not', async () => {
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
  it('an engine that was not asked to follows no schedule', async () => {
    const { engine, put } = await open(false)
    put('new')
    await new Promise((resolve) => systemClock.at(systemClock.now() + 2_500, () => resolve(undefined)))
    expect([engine.runs(), engine.decisions()]).to.deep.equal([[], []])
  })
})
