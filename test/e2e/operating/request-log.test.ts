/** The log of a real server as JSON: what a request causes has its id, and what is about a run has name and id of that. Decision D1412. */
import { expect } from 'chai'
import { type RunningServer, runningServer } from '../../support/cli/program.ts'
import { eventually } from '../../support/waiting.ts'

interface Line {
  level: string
  msg: string
  requestId?: string
  name?: string
  dagRunId?: string
  [field: string]: unknown
}

describe('the log of a server › requests and runs', () => {
  let server: RunningServer
  before(async () => {
    const file = 'remoteNodes: [{name: gone, apiBaseURL: "http://127.0.0.1:9/api/v2"}]\n'
    server = await runningServer({ ENGINE_LOG_FORMAT: 'json', ENGINE_DEBUG: 'true', ENGINE_SHUTDOWN: 'stop' }, { file })
  })
  after(() => server?.end())

  const lines = (): Line[] => {
    const whole = server.written.err.slice(0, server.written.err.lastIndexOf('\n') + 1)
    return whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }
  const logged = (msg: string, requestId: string) =>
    eventually(`"${msg}" of ${requestId}`, () =>
      lines().find((line) => line.msg === msg && line.requestId === requestId)
    )
  const send = async (requestId: string, method: string, path: string, body?: object) => {
    const headers = { 'X-Request-Id': requestId }
    const sent = body ? { body: JSON.stringify(body) } : {}
    const answer = await fetch(`${server.address}/api/v2${path}`, { method, headers, ...sent })
    expect(answer.headers.get('x-request-id')).to.equal(requestId)
    return JSON.parse((await answer.text()) || '{}') as { dagRunId: string }
  }

  it('a start, a stop and a retry: each line about the run has its name and id, and the id of the request behind it', async () => {
    const { dagRunId } = await send('start-7', 'POST', '/dag-runs', { spec: 'name: held\nsteps: [sleep 600]' })
    const run = { name: 'held', dagRunId }
    expect(await logged('run started', 'start-7')).to.include({ level: 'INFO', ...run })
    expect(await logged('step running', 'start-7')).to.include({ level: 'DEBUG', step: 'cmd_1', ...run })
    await send('stop-7', 'POST', `/dag-runs/held/${dagRunId}/stop`)
    expect(await logged('run canceled', 'stop-7')).to.include({ level: 'INFO', ...run })
    await send('again-7', 'POST', `/dag-runs/held/${dagRunId}/retry`, { dagRunId })
    expect(await logged('run started', 'again-7')).to.include(run)
    await send('stop-8', 'POST', `/dag-runs/held/${dagRunId}/stop`)
    await logged('run canceled', 'stop-8')
    const other = await send('anew-7', 'POST', `/dag-runs/held/${dagRunId}/reschedule`, {})
    expect(await logged('run started', 'anew-7')).to.include({ name: 'held', dagRunId: other.dagRunId })
    await send('stop-9', 'POST', `/dag-runs/held/${other.dagRunId}/stop`)
    await logged('run canceled', 'stop-9')
    expect(await logged('request answered', 'stop-8')).to.include({
      method: 'POST',
      path: `/api/v2/dag-runs/held/${dagRunId}/stop`,
      status: 200,
      by: 'anyone',
      ...run
    })
    for (const line of lines().filter(({ msg }) => /^(run|step) /.test(msg))) {
      expect(line.name).to.equal('held')
      expect(line.dagRunId).to.be.oneOf([dagRunId, other.dagRunId])
    }
  })

  it('a request that fails has its id in the line that says why', async () => {
    await send('far-7', 'GET', '/dags?remoteNode=gone')
    const line = await logged('GET /api/v2/dags failed', 'far-7')
    expect(line.level).to.equal('ERROR')
    expect(line.cause).to.be.a('string')
  })
})
