/** The endpoint tables, row by row: what a row promises, and every error that it names. Source: http-api "Endpoints". */
import { expect } from 'chai'
import { DOCUMENTED } from '../../support/api/endpoint-rows.ts'
import type { Members } from '../../support/api/json-shape.ts'
import type { Json } from '../../support/api/live-api.ts'
import { liveRows } from '../../support/api/live-rows.ts'
import { POINT, STATUS, text } from '../../support/api/row-shapes.ts'
import { definitionRows } from './rows/definitions.ts'
import { runRows } from './rows/runs.ts'

describe('API › the endpoint tables, row by row', () => {
  const rows = liveRows()
  const { api, covered, row, promises, refuses } = rows

  describe('System', () => {
    row('GET', '/health', async (call) => {
      const { status } = await promises(call('/health'), {
        status: text,
        version: text,
        uptime: 'integer',
        timestamp: text
      })
      expect(status).to.equal('healthy')
    })
    row('GET', '/metrics', async (call) => {
      const { status, text, headers } = await call('/metrics')
      expect([status, headers['content-type']]).to.deep.equal([200, 'text/plain; version=0.0.4; charset=utf-8'])
      for (const [name, type] of [
        ...['info', 'uptime_seconds', 'scheduler_running', 'dags_total'].map((name) => [name, 'gauge']),
        ...['dag_runs_currently_running', 'dag_runs_queued_total'].map((name) => [name, 'gauge']),
        ['dag_runs_total', 'counter']
      ])
        expect(text).to.contain(`# TYPE engine_${name} ${type}\n`)
      for (const status of ['succeeded', 'failed', 'aborted'])
        expect(text).to.contain(`engine_dag_runs_total{status="${status}"}`)
      expect(text)
        .to.match(/engine_info\{version="[^"]+",build_date="[^"]+",go_version="[^"]+"\} 1\n/)
        .and.contain('process_cpu')
    })
    row('GET', '/services/resources/history', async (call) => {
      const shape: Members = { cpu: [POINT], memory: [POINT], disk: [POINT], load: [POINT] }
      for (const query of ['', '?duration=10s', '?duration=nonsense'])
        await promises(call(`/services/resources/history${query}`), shape)
    })
  })

  definitionRows(rows)
  runRows(rows)

  describe('Queues and workers', () => {
    row('GET', '/queues', async (call) => {
      const run: Members = { dagRunId: text, name: text, ...STATUS, startedAt: text, finishedAt: text, log: text }
      const summary: Members = { running: 'integer', queued: 'integer', total: 'integer' }
      const { queues } = await promises(call('/queues'), {
        queues: [{ name: text, type: text, summary, runningDAGRuns: [run], queuedDAGRuns: [run] }]
      })
      const kinds = Object.fromEntries(
        queues.map(({ name, type, maxConcurrency }: Json) => [name, [type, maxConcurrency]])
      )
      expect(kinds).to.include.keys('batch', 'held')
      expect([kinds.batch, kinds.held]).to.deep.equal([
        ['custom', 1],
        ['dag-based', undefined]
      ])
    })
    row('GET', '/workers', async (call) => {
      await refuses(call('/workers?remoteNode=local'), 503, 'service_unavailable')
    })
  })

  it('every row of the document has a test here', () => {
    expect([...covered].sort()).to.deep.equal(DOCUMENTED.map(({ method, path }) => `${method} ${path}`).sort())
  })

  it('no request was a fault of the server', () => {
    expect(api.faults).to.deep.equal([])
  })
})
