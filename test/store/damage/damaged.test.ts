/** What is read of entries that cannot be there. Source: reliability P7. */
import { join } from 'node:path'
import { expect } from 'chai'
import { runRecord } from '../../../src/store/history.ts'
import { openStore } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('store › damaged entries', () => {
  it('an id that no key can be made of is that of no run, not of an unreadable one', async () => {
    const store = openStore(join(temporaryFolder(), 'data'))
    for (const dagRunId of ['x'.repeat(2_000), 'é'.repeat(5_000)])
      expect(runRecord(store, { name: 'n', dagRunId })).to.equal(undefined)
    await store.root.close()
  })
})
