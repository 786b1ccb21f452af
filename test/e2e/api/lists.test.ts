/** Lists of runs as they are asked for, against all runs filtered by hand. Source: api-semantics 3.6. */
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
  let all: Json[]

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
    all = await listed('/dag-runs')
  })

  it('without a date: all runs, newest first, ties by run id ascending', () => {
    expect(all).to.have.length(9)
    expect(all[0]).to.include({ name: 'night', statusLabel: 'running' })
    const created = ({ name, dagRunId }: Json) => api.engine.record({ name, dagRunId })?.createdAt ?? 0
    const inOrder = all.toSorted((a, b) => created(b) - created(a) || (a.dagRunId < b.dagRunId ? -1 : 1))
    expect(ids(all)).to.deep.equal(ids(inOrder))
  })

  it('each filter alone and together gives what it says', async () => {
    const filters: [query: string, holds: (run: Json) => boolean][] = [
      ['', () => true],
      ['name=NIGHT', ({ name }) => name.toLowerCase().includes('night')],
      ['name=weekly', ({ name }) => name === 'Weekly'],
      ['status=1', ({ status }) => status === 1],
      ['status=2', ({ status }) => status === 2],
      ['status=4', ({ status }) => status === 4],
      ['status=5', () => false],
      ['status=2&status=4', ({ status }) => status !== 1],
      ['dagRunId=a-', ({ dagRunId }) => dagRunId.startsWith('a-')],
      ['dagRunId=A-', () => false]
    ]
    for (const [first, holdsFirst] of filters) {
      for (const [second, holdsSecond] of filters) {
        const sameField = first.split('=')[0] === second.split('=')[0]
        if (sameField && first !== '') continue
        const query = [first, second].filter((text) => text !== '').join('&')
        const wanted = ids(all.filter((run) => holdsFirst(run) && holdsSecond(run)))
        expect(ids(await listed(`/dag-runs?${query}`)), query).to.deep.equal(wanted)
        if (query.includes('name=')) continue
        const ofName = wanted.filter((id) => id.startsWith('nightly/'))
        expect(ids(await listed(`/dag-runs/nightly?${query}`)), `nightly ${query}`).to.deep.equal(ofName)
      }
    }
  })

  it('/dag-runs/{name}: exact; unknown {name} -> 200 []', async () => {
    expect(ids(await listed('/dag-runs/night'))).to.deep.equal(['night/a-on'])
    for (const name of ['nigh', 'weekly', 'nobody']) expect(await listed(`/dag-runs/${name}`), name).to.deep.equal([])
    expect(ids(await listed('/dag-runs/night?status=1'))).to.deep.equal(['night/a-on'])
    expect(await listed('/dag-runs/Weekly?status=1')).to.deep.equal([])
  })

  it('fromDate, toDate: Unix seconds, creation time in [fromDate, toDate); from > to -> empty list', async () => {
    const created = all.map(({ name, dagRunId }) => api.engine.record({ name, dagRunId })?.createdAt ?? 0)
    const [first, last] = [Math.floor(Math.min(...created) / 1_000), Math.floor(Math.max(...created) / 1_000) + 1]
    expect(await listed(`/dag-runs?fromDate=${first}&toDate=${last}`)).to.deep.equal(all)
    expect(await listed(`/dag-runs?fromDate=${last}`)).to.deep.equal([])
    expect(await listed(`/dag-runs?toDate=${first}`)).to.deep.equal([])
    expect(await listed(`/dag-runs?fromDate=${last}&toDate=${first}`)).to.deep.equal([])
    expect(ids(await listed(`/dag-runs?fromDate=${first}&status=1`))).to.deep.equal(['night/a-on'])
    for (const second of Array.from({ length: last - first }, (_, at) => first + at)) {
      const wanted = all.filter((_, at) => Math.floor((created[at] ?? 0) / 1_000) === second)
      expect(ids(await listed(`/dag-runs?fromDate=${second}&toDate=${second + 1}`))).to.deep.equal(ids(wanted))
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
