/** The status of a step set by hand over HTTP. Source: api-semantics 5, 12; acceptance 16. */
import { expect } from 'chai'
import { readConfig } from '../../../../src/config.ts'
import { served } from '../../../api/client.ts'
import { endedRuns } from '../../../support/api/ended-runs.ts'

describe('API › runs that have ended', () => {
  const { api, codeOf, failed, folder, labels, marks } = endedRuns()

  describe('PATCH .../steps/{stepName}/status', () => {
    it('16 PATCH failed step to 4, retry: the patched step is not executed, its successors are', async () => {
      const id = await failed('patched')
      const { status, text } = await api.call('PATCH', `/dag-runs/patched/${id}/steps/b/status`, {
        body: { status: 4 }
      })
      expect([status, text]).to.deep.equal([200, ''])
      await api.call('POST', `/dag-runs/patched/${id}/retry`)
      expect(labels(await api.ended('patched', id))).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
      expect(marks('patched')).to.deep.equal(['a', 'b', 'c one'])
    })

    it('a step set to 1 (running) is executed again by a retry: nobody works at it', async () => {
      const id = await api.startedInline({ spec: `name: idle\nworkingDir: ${folder}\nsteps: [echo a >>idle]\n` })
      await api.ended('idle', id)
      await api.call('PATCH', `/dag-runs/idle/${id}/steps/cmd_1/status`, { body: { status: 1 } })
      await api.call('POST', `/dag-runs/idle/${id}/retry`)
      expect(labels(await api.ended('idle', id))).to.deep.equal(['succeeded'])
      expect(marks('idle')).to.deep.equal(['a', 'a'])
    })

    it("13.3.1, 13.3.2 only that node's status changes; idempotent; 0 to 5 may all be set; the run log has it", async () => {
      const id = await failed('only')
      const before = await api.ended('only', id)
      const statusLabels = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'skipped']
      for (const [status, statusLabel] of [...statusLabels.entries(), ...statusLabels.entries()]) {
        await api.call('PATCH', `/dag-runs/only/${id}/steps/a/status`, { body: { status } })
        const { dagRun } = (await api.call('GET', `/dag-runs/only/${id}`)).json
        const [first, ...others] = before.nodes
        expect(dagRun).to.deep.equal({ ...before, nodes: [{ ...first, status, statusLabel }, ...others] })
      }
      await api.quiet()
      const { content } = (await api.call('GET', `/dag-runs/only/${id}/log?tail=1`)).json
      expect(content).to.contain('step status set by hand').and.contain('step=a').and.contain('status=skipped')
    })

    it('5.6 recorded in the run log with the name of the caller', async () => {
      const id = await failed('signed')
      const { auth } = readConfig(
        { home: '/nowhere', settings: { 'auth.basic.username': 'ops', 'auth.basic.password': 'secret' } },
        {}
      )
      const locked = await served({ ...api.engine, config: { ...api.engine.config, auth } })
      const headers = { Authorization: `Basic ${Buffer.from('ops:secret').toString('base64')}` }
      const sent = { headers, body: { status: 4 } }
      expect((await locked.call('PATCH', `/dag-runs/signed/${id}/steps/b/status`, sent)).status).to.equal(200)
      await locked.close()
      await api.quiet()
      const { content } = (await api.call('GET', `/dag-runs/signed/${id}/log?tail=1`)).json
      expect(content).to.contain('step=b').and.contain('by="the user ops"').and.not.contain('secret')
    })

    it('many at once: each has its record in the journal', async () => {
      const id = await failed('many')
      const patch = (status: number) => api.call('PATCH', `/dag-runs/many/${id}/steps/c/status`, { body: { status } })
      const answers = await Promise.all([0, 1, 2, 3, 4, 5, 0, 1, 2, 3].map(patch))
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200))
      const { text } = await api.call('GET', `/dag-runs/many/${id}/events?follow=false`)
      expect(text.match(/"event":"node.set"/g)).to.have.length(10)
    })

    it('13.3.3 run queued -> 400 bad_request', async () => {
      const id = await api.startedInline({
        spec: 'name: queued\nworkerSelector: {gpu: "true"}\nsteps: [{name: s, command: "true"}]\n'
      })
      expect((await api.call('GET', `/dag-runs/queued/${id}`)).json.dagRun.statusLabel).to.equal('queued')
      expect(await codeOf('PATCH', `/dag-runs/queued/${id}/steps/s/status`, { status: 4 })).to.deep.equal([
        400,
        'bad_request'
      ])
      await api.call('POST', `/dag-runs/queued/${id}/dequeue`)
    })
  })
})
