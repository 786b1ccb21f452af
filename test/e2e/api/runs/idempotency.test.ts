/** The same request twice. Source: docs/http-api.md "The same request twice", docs/decisions/api.md D1793. */
import { expect } from 'chai'
import { endedRuns } from '../../../support/api/ended-runs.ts'

describe('API › idempotencyKey', () => {
  const { api } = endedRuns()
  const spec = 'steps: ["true"]\n'
  const ways = [
    ['/dags/twice/start', {}],
    ['/dags/twice/enqueue', {}],
    ['/dag-runs', { spec, name: 'twice' }],
    ['/dag-runs/enqueue', { spec, name: 'twice' }]
  ] as const
  before(async () => {
    await api.call('POST', '/dags', { body: { name: 'twice', spec } })
  })
  const runs = async () => (await api.call('GET', '/dag-runs/twice')).json.dagRuns.length

  it('the same DAG name and key with the same params and text is answered like the first, in the body or the header', async () => {
    for (const [path, body] of ways) {
      const before = await runs()
      const [idempotencyKey, headers] = [`once ${path}`, { 'Idempotency-Key': `once ${path}` }]
      const first = await api.call('POST', path, { body: { ...body, params: 'A=1', idempotencyKey } })
      const second = await api.call('POST', path, { body: { ...body, params: 'A=1' }, headers })
      expect([first.status, second.status], path).to.deep.equal([200, 200])
      expect(second.json).to.deep.equal(first.json)
      expect([first, second].map((one) => one.headers['idempotent-replayed'])).to.deep.equal([undefined, 'true'])
      expect(await runs()).to.equal(before + 1)
      const other = await api.call('POST', path, { body: { ...body, params: 'A=2', idempotencyKey } })
      expect([other.status, other.json.code]).to.deep.equal([409, 'idempotency_mismatch'])
      expect(other.json.details.dagRunId).to.equal(first.json.dagRunId)
      expect(await runs()).to.equal(before + 1)
    }
  })

  it('32 of 20 at once one makes a run', async () => {
    const before = await runs()
    const sent = { body: { idempotencyKey: 'at-once' } }
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.call('POST', '/dags/twice/start', sent)))
    expect(new Set(answers.map(({ json }) => json.dagRunId)).size).to.equal(1)
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).to.have.length(1)
    expect(await runs()).to.equal(before + 1)
  })

  it('another text is refused; a key is one of its DAG name', async () => {
    const body = { name: 'twice', spec, idempotencyKey: 'text' }
    const { json } = await api.call('POST', '/dag-runs', { body })
    const other = await api.call('POST', '/dag-runs', { body: { ...body, spec: 'steps: ["false"]\n' } })
    expect([other.status, other.json.code]).to.deep.equal([409, 'idempotency_mismatch'])
    const elsewhere = await api.call('POST', '/dag-runs', { body: { ...body, name: 'thrice' } })
    expect(elsewhere.json.dagRunId).not.to.equal(json.dagRunId)
  })

  it('a refused start keeps no key, nor does a dry run', async () => {
    const body = { idempotencyKey: 'refused', dagRunId: 'taken' }
    await api.call('POST', '/dags/twice/start', { body: { dagRunId: 'taken' } })
    expect((await api.call('POST', '/dags/twice/start', { body })).status).to.equal(409)
    const again = { ...body, dagRunId: 'free' }
    const dry = await api.call('POST', '/dags/twice/start', { body: { ...again, params: 'B=1', dryRun: true } })
    expect([dry.status, dry.headers['idempotent-replayed']]).to.deep.equal([200, undefined])
    expect((await api.call('POST', '/dags/twice/start', { body: again })).json.dagRunId).to.equal('free')
  })

  it('no text of 1 to 255 printable characters, and a header that differs from the body, are 400', async () => {
    const before = await runs()
    for (const idempotencyKey of ['', 'a\tb', 'x'.repeat(256), 5, 'ü'])
      expect((await api.call('POST', '/dags/twice/start', { body: { idempotencyKey } })).status).to.equal(400)
    for (const key of ['', 'x'.repeat(256), 'other']) {
      const sent = { body: { idempotencyKey: 'one' }, headers: { 'Idempotency-Key': key } }
      expect((await api.call('POST', '/dags/twice/start', sent)).status, key).to.equal(400)
    }
    expect(await runs()).to.equal(before)
  })

  it('a run that has left its queue is not made again', async () => {
    const body = { name: 'waits', spec: 'workerSelector: {gpu: "true"}\nsteps: ["true"]\n', idempotencyKey: 'gone' }
    const { json } = await api.call('POST', '/dag-runs/enqueue', { body })
    await api.call('POST', `/dag-runs/waits/${json.dagRunId}/dequeue`)
    const again = await api.call('POST', '/dag-runs/enqueue', { body })
    expect([again.json.dagRunId, again.headers['idempotent-replayed']]).to.deep.equal([json.dagRunId, 'true'])
    expect((await api.call('GET', `/dag-runs/waits/${json.dagRunId}`)).status).to.equal(404)
  })
})
