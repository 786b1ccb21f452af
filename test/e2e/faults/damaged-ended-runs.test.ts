/** A damaged record of a run that has ended keeps it listed, and every other one as it was. Source: reliability P7, F10-F13. */
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { damagedIn, UNREADABLE } from '../../../src/store/damage/damaged.ts'
import { served } from '../../api/client.ts'
import { bytesOf, GARBAGE, overwrite } from '../../support/store/damaged-records.ts'
import { copyOf, damage, diagnosis, livedInHome } from '../../support/store/lived-in-home.ts'

describe('damaged records', () => {
  it('a finished run that cannot be read is listed as failed, every other one is as it was, and new ones run', async () => {
    const home = copyOf(await livedInHome())
    await damage(home, (store) => overwrite(store, 'runs', ['flaky', 'f1']))
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      const listed = engine.runs().map(({ dagRunId, status }) => `${dagRunId} ${status}`)
      expect(listed).to.include.members(['f1 failed', 'o1 succeeded', 'l1 canceled'])
      expect(engine.run({ name: 'flaky', dagRunId: 'f1' })?.run.error).to.equal(UNREADABLE)
      const key = await engine.start({ spec: 'name: other\nsteps: [{command: echo hi}]', dagRunId: 'n1' })
      expect((await engine.result(key)).run.status).to.equal('succeeded')
    } finally {
      await engine.close()
    }
  })

  it('a finished run with a member of the wrong type breaks no list, and the rest of it is shown', async () => {
    const home = copyOf(await livedInHome())
    await damage(home, async (store) => {
      const stored = store.runs.get(['flaky', 'f1'])
      const text = JSON.stringify({ ...stored, record: { ...stored?.record, startedAt: 'x' } })
      await bytesOf(store, 'runs').put(['flaky', 'f1'], Buffer.from(text))
    })
    const engine = await createEngine({ home, defaultShell: 'sh' })
    const server = await served(engine)
    try {
      const { json } = await server.call('GET', '/dag-runs')
      expect(json.dagRuns.map(({ dagRunId }: { dagRunId: string }) => dagRunId)).to.include.members(['f1', 'o1', 'l1'])
      for (const look of ['', '/actors', '/explain', '/journal', '/statechart', '/sequence'])
        expect((await server.call('GET', `/dag-runs/flaky/f1${look}`)).status, look).to.equal(200)
    } finally {
      await server.close()
      await engine.close()
    }
    expect((await diagnosis(home)).messages.join('\n')).to.match(/\["flaky","f1"\] of table runs .*record\.startedAt/)
  })

  it('a step that cannot be read is set aside by the doctor, its bytes are kept; then its status can be set by hand', async () => {
    const home = copyOf(await livedInHome())
    await damage(home, (store) => overwrite(store, 'nodes', ['flaky', 'f1', 0]))
    await diagnosis(home, { fix: true })
    const engine = await createEngine({ home, defaultShell: 'sh' })
    const root = { name: 'flaky', dagRunId: 'f1' }
    try {
      expect(engine.run(root)?.nodes[0]?.node).to.include({ status: 'failed', error: UNREADABLE })
      await engine.setNodeStatus({ root, step: 'good' }, 'succeeded')
      expect(engine.run(root)?.nodes[0]?.node).to.include({ status: 'succeeded' })
    } finally {
      await engine.close()
    }
    await damage(home, (store) =>
      expect(Buffer.from(damagedIn(store).get(['nodes', 'flaky', 'f1', 0]) ?? '')).to.deep.equal(GARBAGE)
    )
  })

  it('a run that cannot be read stays where it is when the history gets another name; the others go along', async () => {
    const home = copyOf(await livedInHome())
    const again = await createEngine({ home, defaultShell: 'sh' })
    await again.result(await again.start({ fileName: 'new', dagRunId: 'b2' }))
    await again.close()
    await damage(home, (store) => overwrite(store, 'journal', ['new', 'b1', 2]))
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      await engine.renameDefinition('new', 'newer')
      const listed = engine
        .runs()
        .flatMap(({ name, dagRunId }) => (name.startsWith('new') ? [`${name} ${dagRunId}`] : []))
      expect(listed).to.have.members(['new b1', 'newer b2'])
    } finally {
      await engine.close()
    }
  })
})
