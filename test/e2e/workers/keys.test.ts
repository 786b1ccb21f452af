/** Workers with keys, as users enroll and revoke them: real programs, a real broker. Source: distribution 6 (keys), D12. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { called } from '../../support/cli/called.ts'
import { openPlacing, type Placing } from '../../support/cli/placing.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { needsNats } from '../../support/nats.ts'
import { eventually } from '../../support/waiting.ts'

describe('workers › keys', function () {
  this.timeout(90_000)
  needsNats()
  let placing: Placing
  before(async () => {
    placing = await openPlacing()
  })
  after(() => placing?.close())
  const folder = temporaryFolder()
  function cli(...words: string[]) {
    return called(placing.home, { ENGINE_HOME: placing.home }, ...words)
  }
  const small = (zone: string) =>
    `name: on-${zone}\nworkerSelector: {zone: ${zone}}\nsteps: [{name: one, command: env}]`

  it('enroll, run, restart of the server, revoke: shown as revoked, and others are not disturbed; the secret is nowhere', async () => {
    const keys = { wa: join(folder, 'wa.key'), wb: join(folder, 'wb.key') }
    for (const [id, path] of Object.entries(keys)) {
      const enrolled = await cli('worker', 'enroll', id, '--out', path)
      expect([enrolled.code, enrolled.err]).to.deep.equal([0, 'the coordinator knows it\n'])
      expect(enrolled.out).to.contain(`${id} has a key: ${path}\n`)
      expect(statSync(path).mode & 0o777).to.equal(0o600)
    }
    const again = await cli('worker', 'enroll', 'wc', '--out', keys.wa)
    expect([again.code, again.err]).to.deep.equal([
      1,
      `Error: --out: wanted a new file at ${keys.wa}, but there is a file already\n`
    ])
    expect((await cli('worker', 'enroll', 'wa')).err).to.match(/^Error: wa has had a key since .*revoke wa\)\n$/)

    const plain = placing.worker('wc', ['-l', 'zone=a'])
    await eventually('who has no key stays out', () => /troupe worker enroll/.test(plain.written.err) || undefined)
    for (const [id, path] of Object.entries(keys))
      placing.worker(id, ['-l', `zone=${id[1]}`], { ENGINE_WORKER_KEY_FILE: path })
    await placing.healthy('wa', 'wb')
    const run = await placing.ended('on-a', await placing.start(small('a')))
    expect([run.statusLabel, run.workerId]).to.deep.equal(['succeeded', 'wa'])
    expect(readFileSync(run.nodes[0]?.stdout ?? '', 'utf8')).not.to.contain('ENGINE_WORKER_KEY_FILE')
    await placing.killServer()
    await placing.startServer()
    await placing.healthy('wa', 'wb')

    const revoked = await cli('worker', 'revoke', 'wa')
    expect(revoked.out).to.equal('wa is revoked: its connection is closed, and its key lets nobody in\n')
    const waits = await placing.start(small('a'))
    const atOnce = await placing.run('on-a', waits)
    expect([atOnce.statusLabel, atOnce.workerId], 'at once').to.deep.equal(['queued', ''])
    await eventually('it is shown', async () => /└─ its key was revoked/.test((await cli('workers')).out) || undefined)
    const { json } = await placing.ask('/workers')
    const { enrolled } = json as { enrolled: { id: string; revokedAt: string }[] }
    expect(enrolled.map(({ id, revokedAt }) => [id, revokedAt !== ''])).to.deep.equal([
      ['wa', true],
      ['wb', false]
    ])
    expect((await placing.ended('on-b', await placing.start(small('b')))).workerId).to.equal('wb')
    expect((await placing.run('on-a', waits)).statusLabel).to.equal('queued')
    const metrics = await (await fetch(`${placing.server.address}/api/v2/metrics`)).text()
    for (const line of [
      'engine_runs_waiting_for_worker{selector="zone=a"} 1',
      'engine_worker_slots_busy{worker="wb"} 0',
      'engine_worker_wait_seconds_count ',
      'engine_bus_messages_total{kind="offer",direction="out"}'
    ])
      expect(metrics).to.contain(`\n${line}`)
    const [one] = placing.workersOf('wa')
    await eventually(
      'it says so',
      () => /it refuses the key of worker\.keyFile: it was revoked/.test(one?.written.err ?? '') || undefined
    )

    const seeds = Object.values(keys).map((path) => JSON.parse(readFileSync(path, 'utf8')).seed as string)
    const said = [placing.coordinator, placing.server, plain, ...placing.workersOf('wa'), ...placing.workersOf('wb')]
    const homes = [placing.home, ...Object.values(placing.homes)]
    const files = homes.flatMap((home) =>
      readdirSync(home, { recursive: true, encoding: 'utf8' })
        .map((name) => join(home, name))
        .filter((path) => existsSync(path) && statSync(path).isFile())
    )
    for (const seed of seeds) {
      for (const one of said) expect(JSON.stringify('written' in one ? one.written : one)).not.to.contain(seed)
      for (const path of files) expect(readFileSync(path, 'latin1'), path).not.to.contain(seed)
    }
  })
})
