/** docs/embedding/engine.md has every method of an engine. UPDATE_GOLDEN=1 writes its tables. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, defineDag } from '../../src/index.ts'
import { lineOf, methodTables } from '../support/docs/engine-methods.ts'
import { PROJECT } from '../support/project.ts'

describe('docs/embedding/engine.md', () => {
  const { members, text } = methodTables()
  it('has the members of the types, each in the words of its comment', () => {
    const path = join(PROJECT, 'docs/embedding/engine.md')
    const page = readFileSync(path, 'utf8')
    const written = page.replace(/(<!-- methods -->\n).*(<!-- end -->)/s, (_, start, end) => `${start}${text}${end}`)
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, written)
    else expect(page, 'UPDATE_GOLDEN=1 writes it').to.equal(written)
  })
  it('each has a line', () => {
    expect(
      members.filter(({ comment }) => lineOf(comment) === '').map(({ of, call }) => `${of}.${call}`)
    ).to.deep.equal([])
  })
  it('has every member of an engine as it runs, and of a run', async () => {
    const dag = defineDag({ name: 'one' }, (d) => d.approval('ask'))
    const engine = await createEngine({ temporary: true, dags: [dag] })
    try {
      const run = await engine.start(dag, {})
      const named = (of: readonly string[]) =>
        members.filter((member) => of.includes(member.of)).map(({ call }) => /^\w+/.exec(call)?.[0])
      expect(named(['Engine', 'TypedRuns'])).to.include.members(Object.keys(engine))
      expect(named(['Facts'])).to.include.members(Object.keys(engine.facts))
      expect([...named(['Run']), 'name', 'dagRunId']).to.include.members(Object.keys(run))
    } finally {
      await engine.close()
    }
  })
})
