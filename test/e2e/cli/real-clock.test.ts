/**
 * A cron run with the clock of this machine, by `troupe scheduler` as users start it. Source: execution-semantics 11, api-semantics
 * 6.4, 11. It waits for the next minute, so the program begins together with the suite: other tests run meanwhile.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { createEngine } from '../../../src/index.ts'
import { type Program, program } from '../../support/cli/program.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

/** A scheduler on a home that is in use, as soon as it says that it waits. */
async function waiting(folder: string, environment: Record<string, string>): Promise<Program> {
  const quick = { ...environment, ENGINE_SCHEDULER_LOCK_RETRY_INTERVAL: '200ms' }
  const other = program(folder, quick, 'scheduler')
  await eventually('its word', () => other.written.err.includes('waiting for its end') || undefined)
  return other
}

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
  writeFileSync(
    join(folder, 'dags', 'tick.yaml'),
    `schedule: "* * * * *"\nparams: 'AT="\`date +%s\`"'\nsteps:\n  - name: s\n    command: echo $AT\n`
  )
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
  it('a server on a home that is in use refuses, and says why', async () => {
    await eventually('the port', () => fetch(here().health).catch(() => undefined))
    const { code, err } = await ask('server')
    expect([code, err.split('\n').length]).to.deep.equal([1, 2])
    expect(err).to.match(/^Error: this home is in use by the engine/)
  })
  it('a cron run within 70 s, at second 0 of its minute; 11.17 with defaults evaluated at start; SIGTERM ends the scheduler; 11.19 of two schedulers on one home the other waits', async () => {
    const { begunAt, child, code, written, folder, environment } = here()
    const standby = waiting(folder, environment)
    const line = await eventually('the run', () => /.*schedule fired.*/.exec(written.err)?.[0], 70_000)
    const [slot = '', id = ''] = ['slot', 'dagRunId'].map(
      (field) => new RegExp(`${field}="?([^\\s"]+)`).exec(line)?.[1]
    )
    expect(Date.parse(slot) % 60_000).to.equal(0)
    expect(Date.parse(slot) - begunAt).to.be.within(-60_000, 70_000)
    const { startedAt, params } = await eventually('its end', async () => {
      const { out } = await ask('status', 'tick', '--run-id', id, '--json')
      const shown = JSON.parse(out)
      return shown.statusLabel === 'succeeded' ? shown : undefined
    })
    expect(Date.parse(startedAt) - Date.parse(slot)).to.be.within(0, 20_000)
    expect(Number(params.replace('AT=', '')) * 1_000 - Date.parse(slot)).to.be.within(0, 20_000)
    const other = await standby
    expect(other.child.exitCode, 'the other one waits').to.equal(null)
    expect(other.written.out).to.equal('')
    child.kill('SIGTERM')
    expect(await code).to.equal(0)
    await eventually('the other one takes over', () => other.written.out.includes('follows its schedules') || undefined)
    other.child.kill('SIGTERM')
    expect(await other.code).to.equal(0)
  })
  it('11.19 a signal ends one that waits', async () => {
    const { folder, environment } = here()
    const owner = await createEngine({ home: folder })
    const other = await waiting(folder, environment)
    expect(other.written.err).to.contain(
      `INFO this home is in use by the engine with process id ${process.pid}: waiting for its end`
    )
    other.child.kill('SIGTERM')
    expect([await other.code, other.written.out]).to.deep.equal([0, ''])
    await owner.close()
  })
})
