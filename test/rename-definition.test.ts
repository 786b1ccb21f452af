/** A store that refuses while a definition gets another name. Source: reliability P6, P21. */
import { expect } from 'chai'
import { createEngine } from '../src/index.ts'
import { openStore } from '../src/store/open.ts'
import { temporaryFolder } from './support/homes.ts'

describe('rename of a definition', () => {
  it('P6 the store refuses: service_unavailable, nothing is renamed, and it can be asked again', async () => {
    let refuses = false
    const engine = await createEngine({
      home: temporaryFolder(),
      openStore: (dataDir, options) => {
        const store = openStore(dataDir, options)
        const batch = store.root.batch.bind(store.root)
        store.root.batch = ((work: () => void) =>
          refuses ? Promise.reject(new Error('EIO: i/o error')) : batch(work)) as typeof batch
        return store
      }
    })
    engine.createDefinition('old', 'steps: ["true"]')
    refuses = true
    const code = await engine.renameDefinition('old', 'new').then(
      () => 'done',
      (error: { code?: string }) => error.code
    )
    refuses = false
    expect(code).to.equal('service_unavailable')
    await engine.renameDefinition('old', 'new')
    expect(engine.definition('new').spec).to.contain('steps')
    await engine.close()
  })
})
