/** Damage beside the runs, in all plans or at the end of the file: the engine opens, or says why not, and the doctor names it. Source: reliability P7, F10-F13. */
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { UNREADABLE } from '../../../src/store/damage/damaged.ts'
import { served } from '../../api/client.ts'
import { bytesOf, GARBAGE } from '../../support/store/damaged-records.ts'
import { copyOf, damage, diagnosis, livedInHome } from '../../support/store/lived-in-home.ts'

describe('damaged records', () => {
  it('records beside the runs that are not of their kind keep no engine from opening, and the doctor names each', async () => {
    const home = copyOf(await livedInHome())
    const keys: [table: string, key: (string | number)[]][] = [
      ['moves', ['old']],
      ['restarts', ['flaky', 'f1']],
      ['decisions', [1]],
      ['slots', ['new']],
      ['leftovers', ['gone', 'g1', 5]],
      ['subs', ['flaky', 'f1', 'x']]
    ]
    for (const bytes of [GARBAGE, Buffer.from([0xc0]), Buffer.from([0x80]), Buffer.from([7])]) {
      await damage(home, async (store) => {
        for (const [name, key] of keys) await bytesOf(store, name).put(key.length > 1 ? key : (key[0] ?? 0), bytes)
      })
      const { messages } = await diagnosis(home)
      for (const [table] of keys)
        expect(
          messages.filter((it) => it.includes(`of table ${table} cannot`)),
          table
        ).to.have.length(1)
      const engine = await createEngine({ home, defaultShell: 'sh', schedules: true })
      const server = await served(engine)
      try {
        const looks = [
          '/services/scheduler/decisions',
          '/dags/new/decisions',
          '/dags/new/explain',
          '/dag-runs/flaky/f1/sub-dag-runs'
        ]
        for (const look of looks) expect((await server.call('GET', look)).status, look).to.equal(200)
        const key = await engine.start({ spec: 'name: other\nsteps: [{command: echo hi}]' })
        expect((await engine.result(key)).run.status).to.equal('succeeded')
      } finally {
        await server.close()
        await engine.close()
      }
    }
    const { messages } = await diagnosis(home, { fix: true })
    expect(messages.filter((message) => message.startsWith('error'))).to.deep.equal([])
  })

  it('plans that are a bare value keep no engine from opening: runs are listed, new ones run, and a plan that is stored again is repaired', async () => {
    const home = copyOf(await livedInHome())
    const same = { spec: 'name: same\nsteps: [{command: echo hi}]' }
    const before = await createEngine({ home, defaultShell: 'sh' })
    const old = await before.start({ ...same, dagRunId: 's1' })
    await before.result(old)
    await before.close()
    await damage(home, async (store) => {
      for (const hash of [...store.plans.getKeys()]) await bytesOf(store, 'plans').put(String(hash), Buffer.from([7]))
    })
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      expect(engine.runs().map(({ dagRunId }) => dagRunId)).to.include.members(['f1', 'o1', 'l1'])
      expect(engine.run(old)?.errors).to.deep.equal([`${UNREADABLE}: the text it was started with`])
      const key = await engine.start({ ...same, dagRunId: 'n1' })
      expect((await engine.result(key)).run.status).to.equal('succeeded')
      expect(engine.run(old)?.nodes.map(({ step }) => step.name)).to.deep.equal(['cmd_1'])
    } finally {
      await engine.close()
    }
  })

  it('a store with a truncated file is refused with a message; the process does not die', async () => {
    const home = copyOf(await livedInHome())
    truncateSync(join(home, 'data', 'troupe.mdb'), 40_960)
    const refusal = await createEngine({ home }).then(
      () => 'opened',
      (error: Error) => error.message
    )
    expect(refusal).to.match(
      /found one that has been cut off: \d+ bytes are missing at its end; nothing has been changed: restore a backup/
    )
    const { messages } = await diagnosis(home)
    expect(messages.join()).to.contain(
      'error store: wanted a store in <home>/data/troupe.mdb, found one that has been cut off'
    )
  })
})
