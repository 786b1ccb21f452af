/** The acceptance checklist of the API: ids of runs that are started, and a stop by force. Source: api-semantics 14; the numbers are its items'. */
import { expect } from 'chai'
import { statusAndCode } from '../../../api/client.ts'
import { liveApi } from '../../../support/api/live-api.ts'
import { eventually } from '../../../support/waiting.ts'

describe('API acceptance › definitions and runs', () => {
  const api = liveApi()

  it('9. Start with a used id 409 already_exists; id with a space, 65 characters or latest 400; no body 200', async () => {
    api.write('nine', 'maxActiveRuns: -1\nsteps: [echo hi]')
    const starting = (body?: unknown) => api.call('POST', '/dags/nine/start', body === undefined ? {} : { body })
    const id = 'i'.repeat(64)
    expect((await starting({ dagRunId: id })).json).to.deep.equal({ dagRunId: id })
    expect(statusAndCode(await starting({ dagRunId: id })), 'running').to.deep.equal([409, 'already_exists'])
    await api.ended('nine', id)
    const before = api.digest()
    expect(statusAndCode(await starting({ dagRunId: id })), 'ended').to.deep.equal([409, 'already_exists'])
    const inline = await api.call('POST', '/dag-runs', { body: { spec: 'name: nine', dagRunId: id } })
    expect(statusAndCode(inline), 'the same DAG name from an inline spec').to.deep.equal([409, 'already_exists'])
    for (const dagRunId of ['a b', 'i'.repeat(65), 'latest'])
      expect(statusAndCode(await starting({ dagRunId })), dagRunId).to.deep.equal([400, 'bad_request'])
    expect(api.digest()).to.deep.equal(before)
    const { dagRunId } = (await starting()).json
    expect(dagRunId).to.match(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    await api.ended('nine', dagRunId)
    expect((await starting({ dagRunId: id, dagName: 'other' })).status, 'ids are unique per DAG name').to.equal(200)
    await api.ended('other', id)
  })

  it('7.3.6 stop with {"force": true} kills handlers too; anything but a boolean -> 400, and nothing changed', async () => {
    api.write('forced', 'handlerOn: {success: sleep 60, exit: echo no}\nsteps: ["true"]\n')
    const id = await api.started('forced')
    await eventually('the handler', async () => {
      const { onSuccess } = (await api.call('GET', `/dag-runs/forced/${id}`)).json.dagRun
      return onSuccess?.statusLabel === 'running' ? true : undefined
    })
    const stop = (body: object) => api.call('POST', `/dag-runs/forced/${id}/stop`, { body })
    expect(statusAndCode(await stop({ force: 'yes' }))).to.deep.equal([400, 'bad_request'])
    expect((await stop({})).status).to.equal(200)
    expect((await api.call('GET', `/dag-runs/forced/${id}`)).json.dagRun.onSuccess.statusLabel).to.equal('running')
    expect((await stop({ force: true })).status).to.equal(200)
    const run = await api.ended('forced', id)
    expect([run.statusLabel, run.onSuccess.statusLabel, run.onExit.statusLabel]).to.deep.equal([
      'succeeded',
      'canceled',
      'not_started'
    ])
  })
})
