/** Workers, scheduler, coordinator, resources, metrics. Source: http-api "System", "Queues and workers"; api-semantics 3.1, 7.1, 10.1; acceptance 27, 30. */
import { expect } from 'chai'
import { liveApi } from '../../support/api/live-api.ts'
import { eventually } from '../../support/waiting.ts'

describe('API › services', () => {
  const api = liveApi({ monitoring: { intervalMs: 40, retentionMs: 60_000 } })

  it('27 GET /workers: 503 service_unavailable when no coordinator runs', async () => {
    const { status, json } = await api.call('GET', '/workers')
    expect([status, json]).to.deep.equal([503, { code: 'service_unavailable', message: 'no coordinator is running' }])
    expect(api.faults, 'it is no fault of the server').to.deep.equal([])
  })

  it('GET /services/scheduler: {schedulers: [{instanceId, host, status, startedAt}]}', async () => {
    const [scheduler, ...others] = (await api.call('GET', '/services/scheduler')).json.schedulers
    expect(others).to.deep.equal([])
    expect(scheduler).to.have.all.keys('instanceId', 'host', 'status', 'startedAt')
    expect(scheduler.status).to.equal('active')
    expect(scheduler.instanceId).to.match(new RegExp(`^${scheduler.host}-${process.pid}-\\d+$`))
  })

  it('GET /services/coordinator: empty array when none', async () => {
    expect((await api.call('GET', '/services/coordinator')).json).to.deep.equal({ coordinators: [] })
  })

  it('GET /services/resources/history: oldest first; timestamp Unix seconds; percent 0-100; load', async () => {
    const { json } = await eventually('three looks', async () => {
      const answer = await api.call('GET', '/services/resources/history?duration=30m')
      return answer.json.memory.length >= 3 ? answer : undefined
    })
    expect(json).to.have.all.keys('cpu', 'memory', 'disk', 'load')
    for (const kind of ['cpu', 'memory', 'disk'])
      for (const { timestamp, value } of json[kind]) {
        expect(value, kind).to.be.within(0, 100)
        expect(timestamp).to.be.closeTo(Date.now() / 1_000, 60)
      }
    expect(json.memory[0].timestamp).to.be.at.most(json.memory.at(-1).timestamp)
    expect((await api.call('GET', '/services/resources/history?duration=1ms')).json.memory).to.deep.equal([])
    const { memory } = (await api.call('GET', '/services/resources/history?duration=nonsense')).json
    expect(memory.length).to.be.at.least(3)
  })

  describe('GET /metrics', () => {
    const lines = async () => {
      const { status, text, headers } = await api.call('GET', '/metrics')
      expect([status, headers['content-type']]).to.deep.equal([200, 'text/plain; version=0.0.4; charset=utf-8'])
      return text.split('\n')
    }

    it('30 every line of 10.1 present on a fresh server with value 0 where nothing happened', async () => {
      const all = await lines()
      expect(all).to.include.members([
        'engine_scheduler_running 1',
        'engine_dags_total 0',
        'engine_dag_runs_currently_running 0',
        'engine_dag_runs_queued_total 0',
        'engine_dag_runs_total{status="succeeded"} 0',
        'engine_dag_runs_total{status="failed"} 0',
        'engine_dag_runs_total{status="aborted"} 0',
        'engine_workers{health="healthy"} 0'
      ])
      const { version } = (await api.call('GET', '/health')).json
      const build = `engine_info{version="${version}",build_date="`
      expect(all.find((line) => line.startsWith(build))).to.match(
        new RegExp(`build_date="\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ",go_version="${process.version}"} 1$`)
      )
      expect(all.some((line) => /^engine_uptime_seconds [\d.]+$/.test(line))).to.equal(true)
    })

    it('each has HELP and TYPE lines: engine_dag_runs_total counter, rest gauges; runtime and process metrics too', async () => {
      const all = await lines()
      for (const [name, type] of [
        ['engine_info', 'gauge'],
        ['engine_uptime_seconds', 'gauge'],
        ['engine_scheduler_running', 'gauge'],
        ['engine_dags_total', 'gauge'],
        ['engine_dag_runs_currently_running', 'gauge'],
        ['engine_dag_runs_queued_total', 'gauge'],
        ['engine_dag_runs_total', 'counter'],
        ['engine_dag_run_duration_seconds', 'histogram'],
        ['engine_queue_wait_seconds', 'histogram']
      ]) {
        expect(all).to.include(`# TYPE ${name} ${type}`)
        expect(all.some((line) => line.startsWith(`# HELP ${name} `))).to.equal(true)
      }
      for (const prefix of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds'])
        expect(
          all.some((line) => line.startsWith(`${prefix} `)),
          prefix
        ).to.equal(true)
    })

    it('counts runs as they end, sub runs and definitions with problems as documented', async () => {
      api.write('fine', 'steps: [{name: c, call: kid}]\n---\nname: kid\nsteps: [echo]\n')
      api.write('broken', 'steps: 7')
      await api.ended('fine', await api.started('fine'))
      const bad = await api.startedInline({ spec: 'name: bad\nsteps: ["false"]' })
      await api.ended('bad', bad)
      const slow = await api.startedInline({ spec: 'name: slow\nsteps: [sleep 30]' })
      const whileRunning = await lines()
      expect(whileRunning).to.include.members(['engine_dags_total 2', 'engine_dag_runs_currently_running 1'])
      await api.call('POST', `/dag-runs/slow/${slow}/stop`)
      await api.ended('slow', slow)
      const after = await eventually('the counts', async () => {
        const all = await lines()
        return all.includes('engine_dag_runs_total{status="aborted"} 1') ? all : undefined
      })
      expect(after).to.include.members([
        'engine_dag_runs_currently_running 0',
        'engine_dag_runs_total{status="succeeded"} 1',
        'engine_dag_runs_total{status="failed"} 1',
        'engine_dag_run_duration_seconds_count{dag="fine"} 1'
      ])
    })
  })
})
