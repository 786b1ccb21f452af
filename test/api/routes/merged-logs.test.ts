/** Several logs of a run in one answer, by time. Source: docs/http-api.md. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { timesPath } from '../../../src/platform/log-times.ts'
import { fakeEngine, nodeOf, stepOf } from '../../support/engine/fake-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { served } from '../client.ts'

/** 2023-11-14T22:13:20Z. */
const BEGAN = 1_700_000_000

describe('API › merged logs', () => {
  const folder = temporaryFolder()
  const engine = fakeEngine()
  let api: Awaited<ReturnType<typeof served>>

  /** Lines of four bytes, the second of each. */
  function logOf(name: string, lines: [second: number, text: string][]): string {
    const path = join(folder, name)
    writeFileSync(path, lines.map(([, text]) => `${text}\n`).join(''))
    writeFileSync(timesPath(path), lines.map(([second], at) => `${BEGAN + second} ${4 * (at + 1)}\n`).join(''))
    return path
  }
  const nodes = [
    {
      step: stepOf('a'),
      node: nodeOf('a', {
        startedAt: BEGAN * 1000,
        finishedAt: (BEGAN + 9) * 1000,
        stdout: logOf('a.out', [
          [0, 'a 0'],
          [3, 'a 3'],
          [9, 'a 9']
        ]),
        stderr: logOf('a.err', [[3, 'A 3']])
      })
    },
    {
      step: stepOf('b'),
      node: nodeOf('b', {
        status: 'running',
        startedAt: (BEGAN + 1) * 1000,
        stdout: logOf('b.out', [
          [1, 'b 1'],
          [3, 'b 3']
        ]),
        stderr: join(folder, 'nothing')
      })
    },
    { step: stepOf('later'), node: nodeOf('later', { status: 'not_started' }) }
  ] as Parameters<typeof engine.addRun>[1] extends { nodes?: infer N } ? N : never

  before(async () => {
    engine.addRun({ name: 'n', dagRunId: 'r', startedAt: BEGAN * 1000 }, { nodes })
    api = await served(engine)
  })
  after(() => api.close())
  const get = async (query = '') => api.call('GET', `/dag-runs/n/r/log/merged${query}`)
  const texts = async (query = '') => (await get(query)).json.lines.map(({ text }: { text: string }) => text)

  it('lines of all steps and streams by time; within a second by step and stream', async () => {
    const { json } = await get()
    expect(json.lines.map(({ text }: { text: string }) => text)).to.deep.equal([
      'a 0',
      'b 1',
      'a 3',
      'A 3',
      'b 3',
      'a 9'
    ])
    expect(json.lines[3]).to.deep.equal({ step: 'a', stream: 'stderr', at: '2023-11-14T22:13:23Z', text: 'A 3' })
    expect(json.hasMore).to.equal(false)
  })
  it('only some steps, one stream, or from a second on', async () => {
    expect(await texts('?step=b')).to.deep.equal(['b 1', 'b 3'])
    expect(await texts('?step=b&step=a&stream=stderr')).to.deep.equal(['A 3'])
    expect(await texts(`?since=${BEGAN + 2}`)).to.deep.equal(['a 3', 'A 3', 'b 3', 'a 9'])
    expect((await get('?step=nobody')).status).to.equal(404)
    expect((await get('?stream=both')).status).to.equal(400)
    expect((await get('?cursor=%2E%2E')).status).to.equal(400)
  })
  it('parts: with the cursor each line comes once, in the same order', async () => {
    const found: string[] = []
    for (let cursor = ''; ; ) {
      const { json } = await get(`?limit=2${cursor}`)
      found.push(...json.lines.map(({ text }: { text: string }) => text))
      cursor = `&cursor=${json.cursor}`
      if (!json.hasMore) break
    }
    expect(found).to.deep.equal(await texts())
  })
  it('what is written later follows the cursor; the end of a line that is being written is waited for', async () => {
    const { json } = await get()
    appendFileSync(join(folder, 'b.out'), 'b 4\nhal')
    const next = (await get(`?cursor=${json.cursor}`)).json
    expect(next.lines.map(({ text }: { text: string }) => text)).to.deep.equal(['b 4'])
    appendFileSync(join(folder, 'b.out'), 'f\n')
    const last = (await get(`?cursor=${next.cursor}`)).json
    expect(last.lines.map(({ text }: { text: string }) => text)).to.deep.equal(['half'])
    expect((await get(`?cursor=${last.cursor}`)).json.lines).to.deep.equal([])
  })
  it('a cursor of another attempt begins anew; a log that is gone is empty', async () => {
    expect(await texts('?cursor=7.4-4-4&step=a&stream=stdout')).to.deep.equal(['a 0', 'a 3', 'a 9'])
    rmSync(join(folder, 'a.out'))
    expect(await texts('?step=a')).to.deep.equal(['A 3'])
  })
})
