/** Lists of runs page by page, and which run is the latest. Source: api-semantics 3.6. */
import { expect } from 'chai'
import { type Json, liveApi } from '../../support/api/live-api.ts'

describe('API › lists of runs', () => {
  const api = liveApi()
  const listed = async (path: string): Promise<Json[]> => {
    const { status, json, text } = await api.call('GET', path)
    expect(status, text).to.equal(200)
    return json.dagRuns
  }
  const ids = (runs: Json[]) => runs.map(({ name, dagRunId }) => `${name}/${dagRunId}`)

  before(async () => {
    const text = (step: string) => `maxActiveRuns: -1\nsteps: [${step}]\n`
    api.write('nightly', text('"true"'))
    api.write('Weekly', text('exit 1'))
    api.write('night', text('sleep 60'))
    const starts = Array.from({ length: 4 }, (_, at) => [
      api.started('nightly', { dagRunId: `a-${at}` }),
      api.started('Weekly', { dagRunId: `b-${at}` })
    ])
    await Promise.all(starts.flat())
    await api.started('night', { dagRunId: 'a-on' })
    for (const at of [0, 1, 2, 3]) {
      await api.ended('nightly', `a-${at}`)
      await api.ended('Weekly', `b-${at}`)
    }
  })

  it('limit and cursor: pages that together are the list, each run once, whatever the filter', async () => {
    for (const filter of ['', 'status=4&', 'name=e&', 'dagRunId=a&'])
      for (const limit of [1, 2, 3, 9, 1_000]) {
        const pages: Json[] = []
        let cursor: string | null = ''
        do {
          const { json } = await api.call('GET', `/dag-runs?${filter}limit=${limit}&cursor=${cursor}`)
          expect(json.dagRuns.length).to.be.at.most(limit)
          pages.push(...json.dagRuns)
          cursor = json.nextCursor
        } while (cursor !== null)
        expect(ids(pages), `${filter}limit=${limit}`).to.deep.equal(ids(await listed(`/dag-runs?${filter}`)))
      }
  })

  it('latest is the newest run; latestDAGRun a running run if there is one', async () => {
    const id = await api.started('night', { dagRunId: 'late', dagName: 'nightly' })
    await api.started('nightly', { dagRunId: 'later' })
    await api.ended('nightly', 'later')
    expect((await api.call('GET', '/dag-runs/nightly/latest')).json.dagRun.dagRunId).to.equal('later')
    expect((await api.call('GET', '/dags/nightly')).json.latestDAGRun).to.include({
      dagRunId: id,
      statusLabel: 'running'
    })
    const [entry] = (await api.call('GET', '/dags?name=nightly')).json.dags
    expect(entry.latestDAGRun).to.include({ dagRunId: id, statusLabel: 'running' })
    await api.call('POST', `/dag-runs/nightly/${id}/stop`)
    await api.ended('nightly', id)
    expect((await api.call('GET', '/dags/nightly')).json.latestDAGRun.dagRunId).to.equal('later')
  })
})
