/**
 * A cron run with the clock of this machine, by `troupe scheduler` as users start it. Source: execution-semantics 11, api-semantics
 * 6.4, 11. It waits for the next minute, so the program begins together with the suite: other tests run meanwhile.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/homes.ts'
import { type Program, program } from '../support/program.ts'
import { eventually } from '../support/waiting.ts'

interface Begun extends Program {
  folder: string
  environment: Record<string, string>
  health: string
  begunAt: number
}
let begun: Begun | undefined

async function begin(): Promise<Begun> {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'dags'))
  writeFileSync(join(folder, 'dags', 'tick.yaml'), 'schedule: "* * * * *"\nsteps:\n  - name: s\n    command: echo hi\n')
  const port = await freePort()
  const environment = { ENGINE_HOME: folder, ENGINE_SCHEDULER_PORT: String(port) }
  const begunAt = systemClock.now()
  const started = program(folder, environment, 'scheduler')
  return { ...started, folder, environment, begunAt, health: `http://127.0.0.1:${port}/health` }
}

// Of the whole suite: in front of everything else.
before(async () => {
  begun = await begin()
})

describe('troupe scheduler › the real clock', () => {
  const here = () => {
    if (!begun) throw new Error('it has not begun')
    return begun
  }
  const ask = async (...argv: string[]) => {
    const { folder, environment } = here()
    const asked = program(folder, environment, ...argv)
    return { code: await asked.code, ...asked.written }
  }

  it('6.4 GET /health of its port answers {"status":"healthy"}; anything else is 404', async () => {
    const { health } = here()
    const answer = await eventually('the port', () => fetch(health).catch(() => undefined))
    expect([answer.status, await answer.json()]).to.deep.equal([200, { status: 'healthy' }])
    expect((await fetch(`${health}y`)).status).to.equal(404)
    expect((await fetch(health, { method: 'POST' })).status).to.equal(404)
  })
  it('a second engine on one home refuses, and says why', async () => {
    await eventually('the port', () => fetch(here().health).catch(() => undefined))
    for (const command of ['scheduler', 'server']) {
      const { code, err } = await ask(command)
      expect([code, err.split('\n').length], command).to.deep.equal([1, 2])
      expect(err, command).to.match(/^Error: this home is in use by the engine/)
    }
  })
  it('a cron run within 70 s, at second 0 of its minute; SIGTERM ends the scheduler', async () => {
    const { begunAt, child, code, written } = here()
    const line = await eventually('the run', () => /.*schedule fired.*/.exec(written.err)?.[0], 70_000)
    const [slot = '', id = ''] = ['slot', 'dagRunId'].map(
      (field) => new RegExp(`${field}="?([^\\s"]+)`).exec(line)?.[1]
    )
    expect(Date.parse(slot) % 60_000).to.equal(0)
    expect(Date.parse(slot) - begunAt).to.be.within(-60_000, 70_000)
    const { startedAt } = await eventually('its end', async () => {
      const { out } = await ask('status', 'tick', '--run-id', id, '--json')
      const shown = JSON.parse(out)
      return shown.statusLabel === 'succeeded' ? shown : undefined
    })
    expect(Date.parse(startedAt) - Date.parse(slot)).to.be.within(0, 20_000)
    child.kill('SIGTERM')
    expect(await code).to.equal(0)
  })
})
