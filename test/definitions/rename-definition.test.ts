/** Names that a definition may get, and a store that refuses meanwhile. Source: api-semantics 1.3; reliability P6, P21. */
import { linkSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { openStore } from '../../src/store/open.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('rename of a definition', () => {
  it('a new name is 1 to 40 characters with neither . nor - in front, whoever asks; nothing has changed else', async () => {
    const engine = await createEngine({ temporary: true, defaultShell: 'sh' })
    try {
      await engine.createDefinition('old', 'steps: ["true"]')
      const key = await engine.start({ fileName: 'old' })
      await engine.result(key)
      for (const name of ['', 'x'.repeat(41), '.x', '-x', 'a b', '../x']) {
        const refused = { code: 'bad_request' }
        const error = await engine.renameDefinition('old', name).then(
          () => expect.fail('it was renamed'),
          (error: unknown) => error
        )
        expect(error, name).to.include(refused)
        expect(String(error)).to.contain(`found ${JSON.stringify(name)}`)
        const made = await engine.createDefinition(name, 'name: short\nsteps: ["true"]').catch((error) => error)
        expect(made, name).to.include(refused)
        expect(String(made)).to.contain(`found ${JSON.stringify(name)}`)
      }
      expect(engine.definitions().map(({ fileName }) => fileName)).to.deep.equal(['old'])
      expect(engine.record(key)?.name).to.equal('old')
      await engine.renameDefinition('old', 'x'.repeat(40))
      expect(engine.runs()[0]?.name).to.equal('x'.repeat(40))
    } finally {
      await engine.close()
    }
  })

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
    await engine.createDefinition('old', 'steps: ["true"]')
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

  it('11.11 a run whose restart waits is still to be found by it: refused until the new run has begun', async () => {
    let store: ReturnType<typeof openStore> | undefined
    const engine = await createEngine({
      home: temporaryFolder(),
      openStore: (dataDir, options) => {
        store = openStore(dataDir, options)
        return store
      }
    })
    try {
      for (const [name, inside] of [
        ['old', ''],
        ['own', 'name: inside\n']
      ] as const) {
        await engine.createDefinition(name, `${inside}steps: ["true"]`)
        const { name: dag, dagRunId } = await engine.start({ fileName: name, dagRunId: 'r1' })
        await engine.result({ name: dag, dagRunId })
        await store?.restarts.put([dag, dagRunId], { dagRunId: 'r2', waitMs: 60_000 })
      }
      const error = await engine.renameDefinition('old', 'new').then(
        () => expect.fail('it was renamed'),
        (error: unknown) => error
      )
      expect(error).to.include({ code: 'bad_request' })
      expect(String(error)).to.contain('old cannot be renamed: run r1 is being restarted')
      await engine.renameDefinition('own', 'other') // its history stays where it is
      await store?.restarts.remove(['old', 'r1'])
      await engine.renameDefinition('old', 'new')
      expect(engine.record({ name: 'new', dagRunId: 'r1' })?.status).to.equal('succeeded')
    } finally {
      await engine.close()
    }
  })

  it('a crash between the new name of its file and the end of the old one: the next start ends the rename', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home })
    await engine.createDefinition('old', 'steps: ["true"]')
    await engine.createDefinition('alike', 'steps: ["true"]')
    const { name, dagRunId } = await engine.start({ fileName: 'old', dagRunId: 'r1' })
    await engine.result({ name, dagRunId })
    engine.suspendDefinition('old', true)
    await engine.close()
    const store = openStore(join(home, 'data'))
    await store.moves.put('old', { to: 'new', before: Date.now() + 1 })
    await store.moves.put('alike', { to: 'other', before: Date.now() + 1 })
    await store.root.close()
    writeFileSync(join(home, 'suspend', 'new.suspend'), '')
    linkSync(join(home, 'dags', 'old.yaml'), join(home, 'dags', 'new.yaml'))
    writeFileSync(join(home, 'dags', 'other.yaml'), 'steps: ["true"]') // another file: it was there before
    const next = await createEngine({ home })
    try {
      const found = next.definitions().map(({ fileName, suspended }) => `${fileName} ${suspended}`)
      expect(found).to.deep.equal(['alike false', 'new true', 'other false'])
      expect(readdirSync(join(home, 'suspend'))).to.deep.equal(['new.suspend'])
      expect(next.record({ name: 'new', dagRunId })?.status).to.equal('succeeded')
    } finally {
      await next.close()
    }
  })
})
