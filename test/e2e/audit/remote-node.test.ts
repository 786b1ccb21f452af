/** A request for a remote node is entered on both servers, under one request id. Source: docs/operating/audit.md "What is in an entry". */
import { expect } from 'chai'
import { auditPart } from '../../../src/audit/read.ts'
import { serversOnLoopback } from '../../support/auth/servers-on-loopback.ts'

describe('audit › a remote node', () => {
  const { serverOf } = serversOnLoopback()

  it('here by who asked, with the node; there by the credentials of the node', async () => {
    const lab = await serverOf('lab-dag', {
      'audit.enabled': true,
      'auth.tokens': [{ name: 'front', value: 'lab-token' }]
    })
    const front = await serverOf('front-dag', {
      'audit.enabled': true,
      'auth.tokens': [{ name: 'ann', value: 'ann-token' }],
      remoteNodes: [{ name: 'lab', apiBaseURL: `http://127.0.0.1:${lab.server.port}/api/v2`, authToken: 'lab-token' }]
    })
    const { status } = await front.server.call('POST', '/dags/lab-dag/suspend?remoteNode=lab', {
      headers: { Authorization: 'Bearer ann-token' },
      body: { suspend: true }
    })
    expect(status).to.equal(200)
    const [here, there] = await Promise.all(
      [front, lab].map(async ({ engine }) => {
        const { entries } = await auditPart(engine.config.audit.dir, { filter: { operation: 'suspendDag' }, limit: 5 })
        return entries[0] ?? expect.fail('there is no such entry')
      })
    )
    expect(here).to.deep.include({
      principal: { kind: 'token', name: 'ann' },
      door: 'api',
      target: { fileName: 'lab-dag', remoteNode: 'lab' }
    })
    expect(there).to.deep.include({ principal: { kind: 'token', name: 'front' }, door: 'node' })
    expect(there?.after?.suspended).to.equal(true)
    expect(here?.requestId).to.equal(there?.requestId)
  })
})
