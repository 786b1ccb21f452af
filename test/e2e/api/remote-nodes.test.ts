/** Servers that ask each other. Source: api-semantics 8; http-api "Remote nodes"; acceptance 26. */
import { expect } from 'chai'
import { createEngine, type Engine } from '../../../src/index.ts'
import { served } from '../../api/client.ts'
import { type Served, serversOnLoopback } from '../../support/auth/servers-on-loopback.ts'
import { eventually } from '../../support/waiting.ts'

describe('API › remote nodes › servers on loopback', () => {
  const { laid, serverOf, asOps } = serversOnLoopback()
  let front: Served
  let staging: Served
  let stagingEngine: Engine
  before(async () => {
    const opened = await laid()
    front = opened.front
    staging = opened.staging
    stagingEngine = opened.stagingEngine
  })

  const names = async (query: string) => {
    const { status, json } = await front.call('GET', `/dags${query}`)
    expect(status).to.equal(200)
    return json.dags.map(({ fileName }: { fileName: string }) => fileName)
  }

  it('R1 absent, local -> here; a name -> there, with its own basic or bearer credentials, over HTTPS with caFile or unverified', async () => {
    expect(await names('')).to.deep.equal(['front-dag'])
    expect(await names('?remoteNode=local')).to.deep.equal(['front-dag'])
    expect(await names('?remoteNode=staging')).to.deep.equal(['staging-dag'])
    expect(await names('?remoteNode=lab')).to.deep.equal(['lab-dag'])
    expect(await names('?remoteNode=reader')).to.deep.equal(['lab-dag'])
  })

  it('26 remoteNode unknown 400; dead 502 remote_node_error; remote 404 passes as 404 not_found; remote 201 stays 201', async () => {
    const asked = async (method: string, path: string, body?: object) => {
      const { status, json } = await front.call(method, path, body ? { body } : {})
      return [status, json.code ?? json.name]
    }
    expect(await asked('GET', '/dags?remoteNode=nobody')).to.deep.equal([400, 'bad_request'])
    expect(await asked('GET', '/dags?remoteNode=dead')).to.deep.equal([502, 'remote_node_error'])
    expect(await asked('GET', '/dags/front-dag?remoteNode=staging')).to.deep.equal([404, 'not_found'])
    expect(await asked('POST', '/dags?remoteNode=staging', { name: 'made' })).to.deep.equal([201, 'made'])
    expect(await asked('POST', '/dags?remoteNode=staging', { name: 'made' })).to.deep.equal([409, 'already_exists'])
    expect((await front.call('DELETE', '/dags/made?remoteNode=staging')).status).to.equal(204)
  })

  it('a run is started, watched, read and retried there: answers are those of the node', async () => {
    const spec = 'name: far\nparams: N=1\nsteps:\n  - name: say\n    command: sh -c "echo said $N; exit 1"\n'
    const start = await front.call('POST', '/dag-runs?remoteNode=staging', { body: { spec, params: 'N=2' } })
    expect(start.status, start.text).to.equal(200)
    const { dagRunId } = start.json
    await eventually('its end', async () => {
      const { json } = await front.call('GET', `/dag-runs/far/${dagRunId}?remoteNode=staging`)
      return json.dagRun.finishedAt === '' ? undefined : json
    })
    for (const path of [
      `/dag-runs/far/${dagRunId}`,
      `/dag-runs/far/${dagRunId}/steps/say/log`,
      `/dag-runs/far/latest/spec`,
      '/dag-runs?name=far&status=2',
      '/queues'
    ]) {
      const direct = await staging.call('GET', path, asOps)
      const through = await front.call('GET', `${path}${path.includes('?') ? '&' : '?'}remoteNode=staging`)
      expect([through.status, through.text, through.headers['content-type']], path).to.deep.equal([
        direct.status,
        direct.text,
        direct.headers['content-type']
      ])
    }
    expect((await front.call('GET', `/dag-runs/far/${dagRunId}`)).status).to.equal(404)
    const set = await front.call('PATCH', `/dag-runs/far/${dagRunId}/steps/say/status?remoteNode=staging`, {
      body: { status: 4 }
    })
    expect([set.status, set.text]).to.deep.equal([200, ''])
    const stop = await front.call('POST', `/dag-runs/far/${dagRunId}/stop?remoteNode=staging`)
    expect([stop.status, stop.json.code, stop.json.details]).to.deep.equal([
      400,
      'not_running',
      { remoteNode: 'staging' }
    ])
    const again = await front.call('POST', `/dag-runs/far/${dagRunId}/retry?remoteNode=staging`, { body: {} })
    expect([again.status, again.headers['engine-run-id']]).to.deep.equal([200, dagRunId])
    await stagingEngine.result({ name: 'far', dagRunId })
  })

  it('a long log passes whole', async () => {
    const body = { spec: 'name: long\nsteps:\n  - name: s\n    command: seq -f "line %060.0f" 1 9000\n' }
    const { dagRunId } = (await front.call('POST', '/dag-runs?remoteNode=lab', { body })).json
    await eventually('its end', async () => {
      const { json } = await front.call('GET', `/dag-runs/long/${dagRunId}?remoteNode=lab`)
      return json.dagRun.finishedAt === '' ? undefined : json
    })
    const path = `/dag-runs/long/${dagRunId}/steps/s/log?limit=10000&remoteNode=lab`
    const { json, bytes } = await front.call('GET', path)
    expect([json.totalLines, bytes.length > 500_000]).to.deep.equal([9_000, true])
    expect(json.content.trim().split('\n').at(-1)).to.match(/^line 0+9000$/)
  })

  it('server-sent events arrive as they happen, resumable by Last-Event-ID; the end of a server ends them', async () => {
    const { engine, server } = await serverOf('passing', {
      remoteNodes: [
        {
          name: 'staging',
          apiBaseURL: `http://127.0.0.1:${staging.port}/api/v2`,
          basicAuthUsername: 'ops',
          basicAuthPassword: 'geheim'
        }
      ]
    })
    expect(engine.config.remoteNodes).to.have.length(1)
    let text = ''
    const response = await fetch(`http://127.0.0.1:${server.port}/api/v2/events?remoteNode=staging&after=now`)
    expect(response.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8')
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
      return 'ended'
    })()
    await eventually('the beginning', () => (text.startsWith(': the journal') ? true : undefined))
    await front.call('POST', '/dags/staging-dag/start?remoteNode=staging', { body: { dagRunId: 'seen' } })
    await eventually('the run', () => (text.includes('"seen"') ? true : undefined))
    await stagingEngine.result({ name: 'staging-dag', dagRunId: 'seen' })
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    const rest = await front.call('GET', '/dag-runs/staging-dag/seen/events?follow=false&remoteNode=staging', {
      headers: { 'Last-Event-ID': '1' }
    })
    expect(rest.text).to.match(/^id: 2$/m)
    expect(rest.text).not.to.match(/^id: 1$/m)
    expect(ids.length).to.be.greaterThan(0)
    await server.close()
    expect(await reading).to.equal('ended')
  })

  it("R2 the caller's own credentials are never sent on: they open nothing there", async () => {
    const { status, json } = await front.call('GET', '/dags?remoteNode=wrong', asOps)
    expect([status, json.code]).to.deep.equal([502, 'bad_gateway'])
  })

  it('R5 401/403 from the remote -> 502 bad_gateway (our stored credentials are wrong, not the caller’s)', async () => {
    const wrong = await front.call('GET', '/dags?remoteNode=wrong')
    expect([wrong.status, wrong.json]).to.deep.equal([
      502,
      {
        code: 'bad_gateway',
        message: 'wrong: the credentials that this server has for it were refused with 401: the credentials are wrong',
        details: { remoteNode: 'wrong' }
      }
    ])
    expect(wrong.headers).not.to.have.property('www-authenticate')
    const reader = await front.call('POST', '/dags/lab-dag/start?remoteNode=reader')
    expect([reader.status, reader.json.code, reader.json.message]).to.deep.equal([
      502,
      'bad_gateway',
      'reader: the credentials that this server has for it were refused with 403: the token reader may not run'
    ])
  })

  it('R7 a certificate of nobody known -> 502 remote_node_error', async () => {
    const { status, json } = await front.call('GET', '/dags?remoteNode=unknown-authority')
    expect([status, json.code, json.message]).to.deep.equal([
      502,
      'remote_node_error',
      'unknown-authority: DEPTH_ZERO_SELF_SIGNED_CERT'
    ])
  })

  it('R8 credentials and permissions of this server are asked first', async () => {
    expect((await staging.call('GET', '/dags?remoteNode=lab')).status).to.equal(401)
    expect((await staging.call('GET', '/remote-nodes')).status).to.equal(401)
    expect((await staging.call('GET', '/dags?remoteNode=lab', asOps)).json.dags[0].fileName).to.equal('lab-dag')
  })

  it('R9 no chains: of three servers the second never asks the third, and one that asks itself answers', async () => {
    const names = async (query: string) => (await front.call('GET', `/remote-nodes${query}`)).json.remoteNodes
    expect(await names('?remoteNode=staging')).to.deep.equal(['local', 'lab'])
    expect(await names('?remoteNode=itself')).to.have.length(8)
    const twice = await front.call('GET', '/dags?remoteNode=staging&remoteNode=lab')
    expect([twice.status, twice.json.code]).to.deep.equal([400, 'bad_request'])
    const headers = { ...asOps.headers, 'Engine-Forwarded': '1' }
    const hop = await staging.call('GET', '/dags?remoteNode=lab', { headers })
    expect([hop.status, hop.json.code]).to.deep.equal([400, 'bad_request'])
  })

  it('a certificate file that cannot be read, or holds no certificate, is named when the server starts', async () => {
    for (const [caFile, found] of [
      ['/nowhere/ca.pem', 'wanted a file that can be read, found ENOENT at /nowhere/ca.pem'],
      ['/dev/null', 'wanted certificates (PEM), found none in /dev/null']
    ]) {
      const node = { name: 'x', apiBaseURL: 'https://127.0.0.1:9', tlsConfig: { caFile } }
      const engine = await createEngine({ temporary: true, settings: { remoteNodes: [node] } })
      const failure = await served(engine).then(
        () => undefined,
        (error: Error) => error.message
      )
      await engine.close()
      expect(failure).to.equal(`remoteNodes: x: tlsConfig.caFile: ${found}`)
    }
  })
})
