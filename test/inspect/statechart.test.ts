/** `GET /dag-runs/{name}/{dagRunId}/statechart`. Source: api-semantics 12. */
import { expect } from 'chai'
import { liveApi } from '../support/api/live-api.ts'

describe('API › 12 statechart?format=json|mermaid', () => {
  const api = liveApi()

  it('has the charts that the actors of the run follow, and the actors', async () => {
    const id = await api.startedInline({ spec: 'name: one\nsteps: [{name: a, command: "true"}]' })
    await api.ended('one', id)
    const { status, json } = await api.call('GET', `/dag-runs/one/${id}/statechart`)
    expect(status).to.equal(200)
    expect(json.charts.map((chart: { id: string }) => chart.id)).to.have.members(['run', 'node'])
    expect([json.name, json.statusLabel]).to.deep.equal(['one', 'succeeded'])
    const [own] = json.actors
    expect([own.machine, own.states]).to.deep.equal(['run', ['succeeded']])
  })

  it("as Mermaid it is the run's own chart, with the active states marked", async () => {
    const { text, headers } = await api.call('GET', '/dag-runs/one/latest/statechart?format=mermaid')
    expect(headers['content-type']).to.contain('text/plain')
    expect(text).to.match(/^stateDiagram-v2\n/)
    expect(text).to.contain('class succeeded active')
  })

  it('a run that is not there is 404, another format 400', async () => {
    expect((await api.call('GET', '/dag-runs/one/nope/statechart')).status).to.equal(404)
    expect((await api.call('GET', '/dag-runs/one/latest/statechart?format=svg')).status).to.equal(400)
  })
})
