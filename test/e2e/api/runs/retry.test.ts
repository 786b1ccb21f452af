/** A retry over HTTP: in place, with another id, of one step; and when it is refused. Source: api-semantics 4.2, 4.7; acceptance 15. */
import { expect } from 'chai'
import { endedRuns } from '../../../support/api/ended-runs.ts'

describe('API › runs that have ended', () => {
  const { api, codeOf, failed, labels, marks, sleeping } = endedRuns()

  describe('POST .../retry', () => {
    it('15 in place: from the failed step, keeps the id, attempt 2; 200, empty body, header Engine-Run-Id', async () => {
      const id = await failed('again')
      for (const [attempt, body] of [
        [2, undefined],
        [3, {}],
        [4, { dagRunId: id }],
        [5, { dagRunId: '' }]
      ] as const) {
        const { status, text, headers } = await api.call('POST', `/dag-runs/again/${id}/retry`, { body })
        expect([status, text, headers['engine-run-id']]).to.deep.equal([200, '', id])
        expect(await api.ended('again', id)).to.include({ attempt, dagRunId: id })
      }
      expect(marks('again')).to.deep.equal(['a', 'b', 'b', 'b', 'b', 'b'])
    })

    it('another, unused id: a new run with that id, the original untouched; used: 409', async () => {
      const id = await failed('other')
      const before = await api.ended('other', id)
      const { headers } = await api.call('POST', `/dag-runs/other/${id}/retry`, { body: { dagRunId: 'other-b' } })
      expect(headers['engine-run-id']).to.equal('other-b')
      expect(await api.ended('other', 'other-b')).to.include({ rootDAGRunId: 'other-b', attempt: 1 })
      expect(await api.ended('other', id)).to.deep.equal(before)
      expect(await codeOf('POST', `/dag-runs/other/${id}/retry`, { dagRunId: 'other-b' })).to.deep.equal([
        409,
        'already_exists'
      ])
    })

    it('another id while the limit is reached: 400, and no log of it is left behind; later the kept logs are its own', async () => {
      const id = await failed('limited')
      const other = await sleeping('limited')
      const before = await api.quiet()
      expect(await codeOf('POST', `/dag-runs/limited/${id}/retry`, { dagRunId: 'copied' })).to.deep.equal([
        400,
        'already_running'
      ])
      expect(api.digest()).to.deep.equal(before)
      await other.end()
      expect(await codeOf('POST', `/dag-runs/limited/${id}/retry`, { dagRunId: 'copied' })).to.deep.equal([
        200,
        undefined
      ])
      const [kept] = (await api.ended('limited', 'copied')).nodes
      expect(kept.stdout).to.contain('/copied/')
      const { json } = await api.call('GET', '/dag-runs/limited/copied/steps/a/log')
      expect(json.content).to.equal('one')
    })

    it('stepName: only that step runs again; an unknown one 404', async () => {
      const id = await failed('single')
      await api.call('POST', `/dag-runs/single/${id}/retry`, { body: { stepName: 'a' } })
      expect(labels(await api.ended('single', id))).to.deep.equal(['succeeded', 'failed', 'canceled'])
      expect(marks('single')).to.deep.equal(['a', 'b', 'a'])
      expect(await codeOf('POST', `/dag-runs/single/${id}/retry`, { stepName: 'z' })).to.deep.equal([404, 'not_found'])
    })

    it('15, 13.1.6 while running: 400 already_running, and the run is unharmed; missing: 404; a bad id: 400; latest: 404', async () => {
      const { id, end } = await sleeping('busy')
      expect(await codeOf('POST', `/dag-runs/busy/${id}/retry`)).to.deep.equal([400, 'already_running'])
      expect((await api.call('GET', `/dag-runs/busy/${id}`)).json.dagRun).to.include({ status: 1, attempt: 1 })
      await end()
      expect(await codeOf('POST', '/dag-runs/busy/nobody/retry')).to.deep.equal([404, 'not_found'])
      expect(await codeOf('POST', `/dag-runs/busy/${id}/retry`, { dagRunId: 'a b' })).to.deep.equal([
        400,
        'bad_request'
      ])
      expect(await codeOf('POST', '/dag-runs/busy/latest/retry')).to.deep.equal([404, 'not_found'])
    })
  })

  it('4.2 retry while the allowed number of runs is active: 400 already_running, whatever that number is', async () => {
    const start = (dagRunId: string, step: string) =>
      api.startedInline({ spec: `name: both\nmaxActiveRuns: 2\nsteps: [${step}]`, dagRunId })
    await start('ended', 'exit 1')
    await api.ended('both', 'ended')
    for (const id of ['one', 'two']) await start(id, 'sleep 30')
    for (const body of [{}, { dagRunId: 'new' }])
      expect(await codeOf('POST', '/dag-runs/both/ended/retry', body)).to.deep.equal([400, 'already_running'])
    expect((await api.call('POST', '/dag-runs/both/ended/retry')).json).to.deep.include({
      message: 'run ended of both cannot be retried: both already has 2 active runs (limit 2)',
      details: { limit: 2, running: 2, queued: 0 }
    })
    expect((await api.call('POST', '/dag-runs/both/one/retry')).json).to.include({
      message: 'run one of both cannot be retried: it has not ended'
    })
    for (const id of ['one', 'two']) await api.call('POST', `/dag-runs/both/${id}/stop`)
    for (const id of ['one', 'two']) await api.ended('both', id)
    expect(await codeOf('POST', '/dag-runs/both/ended/retry')).to.deep.equal([200, undefined])
    await api.ended('both', 'ended')
  })
})
