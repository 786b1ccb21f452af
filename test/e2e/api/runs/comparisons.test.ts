/** What several real runs tell together: statistics, differences, next starts. Source: http-api "Definitions", "Runs" (diff). */
import { expect } from 'chai'
import { type Json, liveApi } from '../../../support/api/live-api.ts'

describe('API › comparisons of runs', () => {
  const api = liveApi({ tz: 'Asia/Tokyo' })
  const get = async (path: string): Promise<Json> => (await api.call('GET', path)).json
  const statusOf = async (path: string) => (await api.call('GET', path)).status
  const text = (more = '') => `params: N=1
${more}steps:
  - {name: a, command: echo "$N", output: OUT}
  - {name: b, command: test "$N" = 1, depends: a}
  - {name: c, command: "true", depends: b}
`
  before(async () => {
    api.write('cmp', text())
    await api.ended('cmp', await api.started('cmp', { dagRunId: 'good' }))
    await api.ended('cmp', await api.started('cmp', { dagRunId: 'same' }))
    await api.ended('cmp', await api.started('cmp', { dagRunId: 'bad', params: 'N=2' }))
  })

  it('two runs that did the same differ in nothing but durations', async () => {
    const { steps, ...rest } = await get('/dag-runs/cmp/same/diff?with=good')
    expect(rest).to.deep.equal({ params: [], env: { added: [], removed: [] }, definitionChanged: false, outputs: [] })
    for (const { name, before, after } of steps) {
      expect([before.statusLabel, after.statusLabel], name).to.deep.equal(['succeeded', 'succeeded'])
      expect(before.ms).to.be.a('number')
    }
  })

  it('another param: exactly that one, its output, the first step that went another way and its first event', async () => {
    const { params, outputs, steps, event } = await get('/dag-runs/cmp/bad/diff?with=good')
    expect(params).to.deep.equal([{ name: 'N', before: '1', after: '2' }])
    expect(outputs).to.deep.equal([{ name: 'OUT', before: '1', after: '2' }])
    const changed = steps.filter(({ before, after }: Json) => before.status !== after.status)
    expect(changed.map(({ name, after }: Json) => [name, after.statusLabel])).to.deep.equal([
      ['b', 'failed'],
      ['c', 'canceled']
    ])
    expect([event.before.actor, event.before.to]).to.deep.equal(['run/cmp/good/node/b', 'succeeded'])
    expect([event.after.actor, event.after.to]).to.deep.equal(['run/cmp/bad/node/b', 'failed'])
  })

  it('another definition: a unified diff, and the names of variables that only one has', async () => {
    api.write('cmp', text('env:\n  - EXTRA: x\n'))
    await api.ended('cmp', await api.started('cmp', { dagRunId: 'later' }))
    const { env, definition, definitionChanged } = await get('/dag-runs/cmp/later/diff?with=good')
    expect([definitionChanged, env]).to.deep.equal([true, { added: ['EXTRA'], removed: [] }])
    expect(definition).to.contain('+env:').and.contain('+  - EXTRA: x')
  })

  it('a run that is not there -> 404; no `with` -> 400', async () => {
    expect(await statusOf('/dag-runs/cmp/bad/diff?with=nobody')).to.equal(404)
    expect(await statusOf('/dag-runs/cmp/nobody/diff?with=bad')).to.equal(404)
    expect(await statusOf('/dag-runs/cmp/bad/diff')).to.equal(400)
    expect(await statusOf('/dag-runs/cmp/bad/diff?with=../x')).to.equal(400)
  })

  it('statistics: of the latest runs, in the order of the steps', async () => {
    const { runs, steps } = await get('/dags/cmp/statistics')
    expect([runs.count, runs.failures]).to.deep.equal([4, 1])
    expect(steps.map(({ name, count, failures }: Json) => [name, count, failures])).to.deep.equal([
      ['a', 4, 0],
      ['b', 4, 1],
      ['c', 3, 0]
    ])
    expect((await get('/dags/cmp/statistics?runs=1')).runs.count).to.equal(1)
  })

  it('statistics with their history: each run, newest first, and what it has of each step', async () => {
    const { steps, history } = await get('/dags/cmp/statistics?history=true')
    expect(history.length).to.equal(4)
    const bad = history.find(({ dagRunId }: Json) => dagRunId === 'bad')
    expect([bad.statusLabel, bad.steps.map(({ statusLabel }: Json) => statusLabel)]).to.deep.equal([
      'failed',
      ['succeeded', 'failed', 'canceled']
    ])
    expect(bad.steps[1].ms).to.be.a('number')
    expect(history.map(({ createdAtMs }: Json) => createdAtMs)).to.deep.equal(
      history.map(({ createdAtMs }: Json) => createdAtMs).toSorted((a: number, b: number) => b - a)
    )
    expect(steps).to.have.length(3)
    expect(await get('/dags/cmp/statistics')).not.to.have.property('history')
  })

  it('next runs: each instant once, with the zone of its expression', async () => {
    api.write('often', 'schedule: ["0 9 * * *", "CRON_TZ=America/New_York 30 9 * * 1", "0 9 * * *"]\nsteps: ["true"]\n')
    const { nextRuns } = await get('/dags/often/next-runs?limit=20')
    expect(nextRuns).to.have.length(20)
    expect(new Set(nextRuns.map(({ atMs }: Json) => atMs)).size).to.equal(20)
    expect([...new Set(nextRuns.map(({ zone }: Json) => zone))].sort()).to.deep.equal([
      'America/New_York',
      'Asia/Tokyo'
    ])
    expect((await get('/dags/cmp/next-runs')).nextRuns).to.deep.equal([])
    expect(await statusOf('/dags/nobody/next-runs')).to.equal(404)
  })
})
