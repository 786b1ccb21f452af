/** A store with damaged pages ends no engine again and again: it is read to its end in a separate process. Source: reliability P1, P7, P22. */
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { damagedIn } from '../../../src/store/damage/damaged.ts'
import { salvagedIn } from '../../../src/store/damage/salvage.ts'
import { readMark } from '../../../src/store/disk/last-life.ts'
import { program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { damagePages, deadly, deadlyAt } from '../../support/store/damaged-pages.ts'
import { GARBAGE, overwrite } from '../../support/store/damaged-records.ts'
import { damage } from '../../support/store/lived-in-home.ts'
import { eventually } from '../../support/waiting.ts'

describe('a store with damaged pages', () => {
  let whole = ''
  before(async () => {
    whole = temporaryFolder()
    const engine = await createEngine({ home: whole, defaultShell: 'sh' })
    await engine.result(await engine.start({ spec: 'name: a\nsteps: [{command: echo mark}]', dagRunId: 'r1' }))
    await engine.close()
  })

  function copy(): string {
    const home = temporaryFolder()
    cpSync(whole, home, { recursive: true })
    return home
  }
  function damaged(text: string, how = deadly): string {
    const home = copy()
    expect(damagePages(home, text, how)).to.be.greaterThan(0)
    return home
  }
  const serverOn = (folder: string) => runningServer({}, { folder, argv: ['--port', '0'] })
  const call = (server: RunningServer, path: string, init?: RequestInit) =>
    fetch(`${server.address}/api/v2${path}`, { ...init, headers: { 'content-type': 'application/json' } })
  const killed = async (server: RunningServer) => {
    server.child.kill('SIGKILL')
    await server.code
  }
  /** What a start that is refused says. */
  async function refusal(folder: string): Promise<string> {
    const { code, written } = program(folder, { ENGINE_HOME: folder }, 'start-all', '--port', '0')
    expect(await code, written.out).to.equal(1)
    return written.err
  }

  /** As a supervisor does: starts until one answers what is asked. @returns it, and how many have ended before */
  async function supervised(
    folder: string,
    ask = (server: RunningServer): Promise<unknown> => call(server, '/dag-runs/a/r1')
  ): Promise<{ server: RunningServer; ends: number }> {
    for (let ends = 0; ends < 5; ends++) {
      const server = await serverOn(folder).catch(() => undefined)
      if (server && (await answers(ask(server)))) return { server, ends }
      await server?.code
    }
    throw new Error('no start came up')
  }
  const answers = (asked: Promise<unknown>) =>
    asked.then(
      () => true,
      () => false
    )
  /** The damaged store is kept, and the log and the doctor name it. */
  async function expectSalvaged(home: string, said: string): Promise<void> {
    const aside = salvagedIn(join(home, 'data'))
    expect(aside.length).to.equal(1)
    expect(said).to.contain(`a damaged store was set aside as ${aside[0]?.aside}`)
    const doctor = program(home, { ENGINE_HOME: home }, 'doctor')
    await doctor.code
    expect(doctor.written.out).to.contain(`a damaged store was set aside as ${aside[0]?.aside}`)
  }

  /** Page of the journal: no start reads it. */
  const JOURNAL = 'attempt.ended'

  it('P22 a store that ends every engine is copied as far as it can be read at the third start: it comes up, and names what is lost', async () => {
    const home = damaged(JOURNAL)
    const { server, ends } = await supervised(home, (server) => call(server, '/dag-runs/a/r1/journal'))
    expect(ends).to.equal(2)
    expect((await call(server, '/health')).status).to.equal(200)
    expect((await call(server, '/dag-runs/a/r1')).status).to.equal(200)
    await server.end()
    await expectSalvaged(home, server.written.err)
  })

  it('after one death it is found beside the engine: health is 503, nothing is started, and the next start copies what can be read', async () => {
    const home = damaged(JOURNAL)
    await killed(await serverOn(home))
    const server = await serverOn(home)
    try {
      await eventually('the reading', async () => (await call(server, '/health')).status === 503 || undefined, 30_000)
      const { error } = (await (await call(server, '/health')).json()) as { error: string }
      expect(error)
        .to.match(/^the store is damaged: reading .* ends the process with SIGBUS/)
        .and.contain('the next start copies what can be read')
      const start = await call(server, '/dag-runs', {
        method: 'POST',
        body: JSON.stringify({ spec: 'name: b\nsteps: ["true"]' })
      })
      expect([start.status, ((await start.json()) as { message: string }).message]).to.deep.equal([503, error])
    } finally {
      await server.end()
    }
    const next = await serverOn(home)
    expect((await call(next, '/health')).status).to.equal(200)
    await next.end()
    await expectSalvaged(home, next.written.err)
  })

  itLong('a run whose entry is lost stays listed as failed, and every other run is as it was', async () => {
    const home = copy()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    await engine.result(await engine.start({ spec: 'name: b\nsteps: [{command: echo other}]', dagRunId: 'r2' }))
    await engine.close()
    expect(damagePages(home, '"createdAt":', deadly)).to.be.greaterThan(0)
    const { server } = await supervised(home, (server) => call(server, '/dag-runs/a/r1'))
    const { dagRuns } = (await (await call(server, '/dag-runs')).json()) as {
      dagRuns: { dagRunId: string; statusLabel: string }[]
    }
    expect(dagRuns.map(({ dagRunId }) => dagRunId)).to.have.members(['r1', 'r2'])
    expect(server.written.err).to.contain('state unreadable')
    await server.end()
    await expectSalvaged(home, server.written.err)
  })

  itLong(
    'a store that was copied is replaced by a backup with restore --replace, and the damaged one goes aside with it',
    async () => {
      const backup = join(temporaryFolder(), 'b')
      expect(await program(whole, { ENGINE_HOME: whole }, 'backup', backup).code).to.equal(0)
      const home = damaged('echo mark') // the retention of its DAG is looked up when the engine is open
      await (await supervised(home)).server.end()
      const restoring = program(home, { ENGINE_HOME: home }, 'restore', backup, '--replace')
      expect(await restoring.code, restoring.written.err).to.equal(0)
      const server = await serverOn(home)
      expect((await call(server, '/dag-runs/a/r1')).status).to.equal(200)
      await server.end()
      expect(salvagedIn(join(home, 'data'))).to.deep.equal([])
    }
  )

  it('one whose first table cannot be read is refused by name, and the next start copies the rest', async () => {
    const home = damaged('since', deadlyAt('turn')) // `since` is a key of that table alone
    expect(await refusal(home))
      .to.contain(`the store in ${join(home, 'data', 'troupe.mdb')} is damaged: `)
      .and.contain('restore a backup')
    const server = await serverOn(home)
    expect((await call(server, '/dag-runs/a/r1')).status).to.equal(200)
    await server.end()
    await expectSalvaged(home, server.written.err)
  })

  it('P7 entries that cannot be read are set aside after a crash: the run is listed as failed, the bytes are kept, it is logged', async () => {
    const home = copy()
    await killed(await serverOn(home))
    await damage(home, async (store) => {
      for (const [table, key] of [
        ['runs', ['a', 'r1']],
        ['nodes', ['a', 'r1', 0]]
      ] as const)
        await overwrite(store, table, [...key])
    })
    const server = await serverOn(home)
    try {
      await eventually('the reading', () => server.written.err.includes('its bytes are kept') || undefined, 30_000)
      expect((await call(server, '/health')).status).to.equal(200)
      const { dagRuns } = (await (await call(server, '/dag-runs')).json()) as { dagRuns: { statusLabel: string }[] }
      expect(dagRuns.map(({ statusLabel }) => statusLabel)).to.deep.equal(['failed'])
    } finally {
      await server.end()
    }
    await damage(home, (store) => {
      for (const key of [
        ['runs', 'a', 'r1'],
        ['nodes', 'a', 'r1', 0]
      ])
        expect(Buffer.from(damagedIn(store).get(key) ?? ''), String(key)).to.deep.equal(GARBAGE)
      expect(store.runs.get(['a', 'r1'])?.record.error).to.equal('state unreadable')
    })
    expect(existsSync(join(home, 'data', 'life'))).to.equal(false)
  })

  it('P8 engines that are killed early, again and again, on a store that is in order: each next one starts', async () => {
    const home = copy()
    for (let life = 0; life < 5; life++) {
      const server = await serverOn(home)
      expect((await call(server, '/dag-runs/a/r1')).status).to.equal(200)
      await killed(server)
    }
    expect(readMark(join(home, 'data'))).to.include({ deaths: 4, state: 'young' })
    const server = await serverOn(home)
    await server.end()
    expect(server.written.err).to.contain('engines on this home die early, and its store is in order')
    expect(readMark(join(home, 'data'))).to.equal(undefined)
  })

  it('a second start on a home that is in use changes nothing of what is known of it; a goodbye is noted', async () => {
    const home = copy()
    const server = await serverOn(home)
    const before = readFileSync(join(home, 'data', 'life'), 'utf8')
    expect(await refusal(home)).to.contain('this home is in use')
    expect(readFileSync(join(home, 'data', 'life'), 'utf8')).to.equal(before)
    await server.end()
    expect(existsSync(join(home, 'data', 'life'))).to.equal(false)
  })
})
