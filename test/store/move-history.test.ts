/** A history that moves to another DAG name, and one whose move a crash has cut short. Source: api-semantics 3.3 (rename). */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { openStore } from '../../src/store/open.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('store › a history that moves', () => {
  const SPEC = 'steps: ["true"]\n'

  /** A home with one definition, `runs` ended runs of `old`, and what `prepare` adds. */
  async function home(runs: number, fileName: string): Promise<string> {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'dags'))
    writeFileSync(join(folder, 'dags', `${fileName}.yaml`), SPEC)
    const engine = await createEngine({ home: folder })
    for (let count = 0; count < runs; count++) {
      const dagRunId = `r-${count}`
      await engine.result(await engine.start({ spec: SPEC, dagName: 'old', dagRunId }))
    }
    await engine.close()
    return folder
  }
  const idsOf = async (folder: string) => {
    const engine = await createEngine({ home: folder })
    const ids = (name: string) => engine.runs({ name }).map(({ dagRunId }) => dagRunId)
    const found = { old: ids('old'), new: ids('new') }
    await engine.close()
    return found
  }
  async function marked(folder: string): Promise<void> {
    const store = openStore(join(folder, 'data'))
    await store.moves.put('old', { to: 'new', before: Number.MAX_SAFE_INTEGER })
    await store.root.close()
  }

  it('is taken up again at the next start when its file has its new name, once', async () => {
    const folder = await home(3, 'new')
    await marked(folder)
    const moved = { old: [], new: ['r-2', 'r-1', 'r-0'] }
    expect(await idsOf(folder)).to.deep.equal(moved)
    expect(await idsOf(folder)).to.deep.equal(moved)
  })

  it('never began when its file has its old name', async () => {
    const folder = await home(1, 'old')
    await marked(folder)
    expect(await idsOf(folder)).to.deep.equal({ old: ['r-0'], new: [] })
  })

  it('a run whose id the other name has already stays', async () => {
    const folder = await home(2, 'old')
    const engine = await createEngine({ home: folder })
    await engine.result(await engine.start({ spec: SPEC, dagName: 'new', dagRunId: 'r-1' }))
    await engine.renameDefinition('old', 'new')
    await engine.close()
    expect(await idsOf(folder)).to.deep.equal({ old: ['r-1'], new: ['r-1', 'r-0'] })
  })

  it('9.5.4 a run with a new id still shows what it has kept of the run that it was retried from', async () => {
    const folder = await home(0, 'old')
    const engine = await createEngine({ home: folder })
    const spec = 'steps: [{call: kid}]\n---\nname: kid\nsteps: ["true"]\n'
    const first = await engine.result(await engine.start({ spec, dagName: 'old', dagRunId: 'first' }))
    await engine.result(await engine.retry(first.run, { dagRunId: 'second' }))
    await engine.renameDefinition('old', 'new')
    const second = { name: 'new', dagRunId: 'second' }
    const [sub] = engine.run(second)?.nodes[0]?.calls?.subRuns ?? []
    expect(engine.subRun(second, sub?.dagRunId ?? '')?.run.caller?.root).to.deep.equal({
      name: 'new',
      dagRunId: 'first'
    })
    await engine.close()
  })

  it('stays when another definition gets the new name first, also after a restart', async () => {
    const folder = await home(1, 'old')
    writeFileSync(join(folder, 'dags', 'other.yaml'), SPEC)
    const engine = await createEngine({ home: folder })
    const [first, second] = await Promise.allSettled([
      engine.renameDefinition('other', 'new'),
      engine.renameDefinition('old', 'new')
    ])
    expect([first.status, second.status]).to.deep.equal(['fulfilled', 'rejected'])
    await engine.close()
    expect(await idsOf(folder)).to.deep.equal({ old: ['r-0'], new: [] })
  })
})
