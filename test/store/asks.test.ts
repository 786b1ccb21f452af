/** Idempotency keys in the store: how long they are kept, over restarts and renames. Source: docs/decisions/api.md D1793. */
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { type AskKey, openStore } from '../../src/store/open.ts'
import { askOf, dropAsks, moveAsks, putAsk } from '../../src/store/tables/asks.ts'
import { temporaryFolder } from '../support/homes.ts'

const DAY_MS = 86_400_000
const spec = 'name: once\nsteps: ["true"]\n'

describe('store › idempotency keys', () => {
  it('32 a restart in between: still one run; a rename of its definition takes them along', async () => {
    const home = temporaryFolder()
    const first = await createEngine({ home })
    await first.createDefinition('once', spec.replace('name: once\n', ''))
    const key = await first.start({ fileName: 'once', idempotencyKey: 'k' })
    await first.result(key)
    await first.close()
    const next = await createEngine({ home })
    try {
      const asked = { idempotencyKey: 'k' }
      expect(await next.start({ fileName: 'once', ...asked })).to.deep.equal({ ...key, replayed: true })
      await next.renameDefinition('once', 'other')
      expect(await next.enqueue({ fileName: 'other', ...asked })).to.include({ name: 'other', dagRunId: key.dagRunId })
      expect(next.runs()).to.have.length(1)
      const other = await next.start({ fileName: 'other', ...asked, params: 'A=1' }).catch(({ code }) => code)
      expect(other).to.equal('idempotency_mismatch')
    } finally {
      await next.close()
    }
  })

  it('are kept as long as the run, and a day at least; the others are removed part by part', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home })
    const { dagRunId } = await engine.start({ spec, idempotencyKey: 'with run' })
    await engine.close()
    const store = openStore(join(home, 'data'))
    const changes = noChanges()
    const put = (key: AskKey, id: string, at: number) => putAsk(changes, key, { dagRunId: id, print: 'x', at })
    put(['once', 'old, with run'], dagRunId, 0)
    put(['once', 'old'], 'gone', 0)
    put(['once', 'young'], 'gone', DAY_MS)
    await commit(store, [changes])
    const now = Date.now() + 2 * DAY_MS
    expect(askOf(store, ['once', 'with run'], now)?.dagRunId).to.equal(dagRunId)
    expect(askOf(store, ['once', 'old'], DAY_MS - 1)?.dagRunId).to.equal('gone')
    expect(askOf(store, ['once', 'old'], DAY_MS)).to.equal(undefined)
    for (let next: AskKey | undefined, part = 0; part === 0 || next; part++) {
      const dropped = noChanges()
      next = dropAsks(store, dropped, 1.5 * DAY_MS, 2, next)
      await commit(store, [dropped])
    }
    const left = () => Array.from(store.asks.getKeys(), (key) => key.join())
    expect(left()).to.deep.equal(['once,old, with run', 'once,with run', 'once,young'])
    await store.root.transaction(() => moveAsks(store, 'once', 'twice', 2 * DAY_MS))
    expect(left()).to.deep.equal(['once,with run', 'twice,old, with run', 'twice,young'])
    await store.root.close()
  })
})
