/** A store with damaged pages ends no engine again and again: it is read to its end in a separate process. Source: reliability P1, P7, P22. */
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { damagedIn } from '../../../src/store/damage/damaged.ts'
import { readMark } from '../../../src/store/disk/last-life.ts'
import { program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { damagePages, deadly, deadlyAt } from '../../support/store/damaged-pages.ts'
import { GARBAGE, overwrite } from '../../support/store/damaged-records.ts'
import { damage } from '../../support/store/lived-in-home.ts'
import { eventually } from '../../support/waiting.ts'

const MENDING =
  'troupe doctor says what can be read; troupe restore DIR --replace puts a backup in its place, and sets this one aside'

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

  /** Page of the journal: no start reads it. */
  const JOURNAL = 'attempt.ended'

  it('P22 the second engine in a row that dies early is the last one: the next start is refused, and says how to go on', async () => {
    const home = damaged(JOURNAL)
    for (const death of [1, 2]) {
      const server = await serverOn(home)
      await call(server, '/dag-runs/a/r1/journal').catch(() => {})
      await server.code
      expect(server.child.signalCode, `death ${death}`).to.equal('SIGBUS')
    }
    for (let start = 0; start < 2; start++) {
      const said = await refusal(home)
      expect(said).to.contain(
        `the store is damaged: reading ${join(home, 'data', 'troupe.mdb')} ends the process with SIGBUS`
      )
      expect(said).to.contain('2 engines have died within a minute of opening it; nothing has been changed')
      expect(said).to.contain(MENDING)
    }
  })

  it('after one death it is found beside the engine: health is 503, nothing is started, and the next start is refused', async () => {
    const home = damaged(JOURNAL)
    await killed(await serverOn(home))
    const server = await serverOn(home)
    try {
      await eventually('the reading', async () => (await call(server, '/health')).status === 503 || undefined, 30_000)
      const { error } = (await (await call(server, '/health')).json()) as { error: string }
      expect(error)
        .to.match(/^the store is damaged: reading .* ends the process with SIGBUS/)
        .and.contain(MENDING)
      const start = await call(server, '/dag-runs', {
        method: 'POST',
        body: JSON.stringify({ spec: 'name: b\nsteps: ["true"]' })
      })
      expect([start.status, ((await start.json()) as { message: string }).message]).to.deep.equal([503, error])
    } finally {
      await server.end()
    }
    expect(await refusal(home)).to.contain('ends the process with SIGBUS; nothing has been changed')
  })

  it('one that ends every start by itself stops the third; a restore with --replace takes its place', async () => {
    const backup = join(temporaryFolder(), 'b')
    expect(await program(whole, { ENGINE_HOME: whole }, 'backup', backup).code).to.equal(0)
    const home = damaged('echo mark') // the retention of its DAG is looked up when the engine is open
    for (let death = 0; death < 2; death++) {
      const { child, code } = program(home, { ENGINE_HOME: home }, 'start-all', '--port', '0')
      await code
      expect(child.signalCode).to.equal('SIGBUS')
    }
    expect(await refusal(home))
      .to.contain('2 engines have died')
      .and.contain(MENDING)
    const restoring = program(home, { ENGINE_HOME: home }, 'restore', backup, '--replace')
    expect(await restoring.code, restoring.written.err).to.equal(0)
    const server = await serverOn(home)
    expect((await call(server, '/dag-runs/a/r1')).status).to.equal(200)
    await server.end()
  })

  it('one whose first table cannot be read is refused by name', async () => {
    const home = damaged('since', deadlyAt('turn')) // `since` is a key of that table alone
    expect(await refusal(home))
      .to.contain(`the store in ${join(home, 'data', 'troupe.mdb')} is damaged: `)
      .and.contain('restore a backup')
    expect(readMark(join(home, 'data')), 'nobody has died').to.equal(undefined)
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
