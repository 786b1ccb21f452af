/** A definition renamed over HTTP: what moves with it, what stays. Source: http-api "Definitions", api-semantics 3.2, 3.3; acceptance 8. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { changedDefinitions, HELLO, SLEEPER } from '../../../support/api/changed-definitions.ts'
import type { Json } from '../../../support/api/live-api.ts'

describe('API › changes of definitions', () => {
  const { api, codeOf, detailsOf, fileOf, flagOf } = changedDefinitions()

  describe('POST /dags/{fileName}/rename', () => {
    it('-> 200 empty; file renamed, suspended state survives, history moves when the name came from the file', async () => {
      api.write('caterpillar', `${HELLO}handlerOn: {exit: {command: 'true'}}\n`)
      const ids = [await api.started('caterpillar', { dagRunId: 'first' })]
      await api.ended('caterpillar', 'first')
      ids.push(await api.started('caterpillar', { dagRunId: 'second' }))
      const before = await api.ended('caterpillar', 'second')
      await api.call('POST', '/dags/caterpillar/suspend', { body: { suspend: true } })
      const { status, text } = await api.call('POST', '/dags/caterpillar/rename', {
        body: { newFileName: 'butter.fly' }
      })
      expect([status, text]).to.deep.equal([200, ''])
      expect([existsSync(fileOf('caterpillar')), existsSync(fileOf('butter.fly'))]).to.deep.equal([false, true])
      expect([existsSync(flagOf('caterpillar')), existsSync(flagOf('butter.fly'))]).to.deep.equal([false, true])
      const { dagRuns } = (await api.call('GET', '/dag-runs/butter.fly')).json
      expect(dagRuns.map(({ dagRunId, name }: Json) => [name, dagRunId])).to.have.deep.members(
        ids.map((id) => ['butter.fly', id])
      )
      expect((await api.call('GET', '/dag-runs/caterpillar')).json.dagRuns).to.deep.equal([])
      expect((await api.call('GET', '/dag-runs?status=4&name=fly')).json.dagRuns).to.have.length(2)
      const { dagRun: after } = (await api.call('GET', '/dag-runs/butter.fly/second')).json
      expect(after).to.deep.equal({ ...before, name: 'butter.fly', rootDAGRunName: 'butter.fly' })
      expect((await api.call('GET', '/dag-runs/butter.fly/second/steps/cmd_1/log')).json.content).to.equal('hi')
      const events = (await api.call('GET', '/dag-runs/butter.fly/second/events?follow=false')).text
      expect(events).to.contain('"actor":"run/butter.fly/second"').and.not.contain('caterpillar')
      const { latestDAGRun, suspended } = await detailsOf('butter.fly')
      expect([latestDAGRun.dagRunId, suspended]).to.deep.equal(['second', true])
    })

    it('a new definition with the old name, and the old run ids, has its own logs, and so have retries with a new id', async () => {
      for (const [index, moved] of ['egg', 'larva', 'pupa'].entries()) {
        api.write('imago', `steps: [echo ${moved}]\n`)
        await api.started('imago', { dagRunId: 'day' })
        await api.ended('imago', 'day')
        if (index === 1) {
          expect((await api.call('POST', '/dag-runs/egg/day/retry', { body: { dagRunId: 'again' } })).status).to.equal(
            200
          )
          await api.ended('egg', 'again')
          await api.call('POST', '/dag-runs/imago/day/retry', { body: { dagRunId: 'again' } })
          await api.ended('imago', 'again')
        }
        expect((await api.call('POST', '/dags/imago/rename', { body: { newFileName: moved } })).status).to.equal(200)
      }
      for (const [name, id, lines] of [
        ['egg', 'day', 4],
        ['larva', 'day', 4],
        ['pupa', 'day', 4],
        ['egg', 'again', 2],
        ['larva', 'again', 2]
      ] as const) {
        const run = `/dag-runs/${name}/${id}`
        expect((await api.call('GET', `${run}/steps/cmd_1/log`)).json.content, run).to.equal(name)
        expect((await api.call('GET', `${run}/log`)).json.totalLines, run).to.equal(lines)
      }
    })

    it('a retry with a new id is stored under the new name: the former one may have a run with that id', async () => {
      api.write('grub', 'steps: [echo grub]\n')
      await api.started('grub', { dagRunId: 'day' })
      await api.ended('grub', 'day')
      expect((await api.call('POST', '/dags/grub/rename', { body: { newFileName: 'moth' } })).status).to.equal(200)
      await api.call('POST', '/dag-runs/moth/day/retry', { body: { dagRunId: 'again' } })
      await api.ended('moth', 'again')
      const { log } = (await api.call('GET', '/dag-runs/moth/again')).json.dagRun
      expect(log).to.equal(`${api.engine.config.logDir}/moth/again/run.log`)
    })

    it('moved runs can be retried and rescheduled under the new name', async () => {
      const retried = await api.call('POST', '/dag-runs/butter.fly/first/retry')
      expect([retried.status, retried.headers['engine-run-id']]).to.deep.equal([200, 'first'])
      expect(await api.ended('butter.fly', 'first')).to.include({ attempt: 2, status: 4 })
      const { json } = await api.call('POST', '/dag-runs/butter.fly/first/reschedule', { body: { dagRunId: 'third' } })
      expect(json).to.deep.equal({ dagRunId: 'third', queued: false })
      await api.ended('butter.fly', 'third')
    })

    it('and back again, with what has happened meanwhile', async () => {
      expect(await codeOf('POST', '/dags/butter.fly/rename', { newFileName: 'caterpillar' })).to.deep.equal([
        200,
        undefined
      ])
      expect((await api.call('GET', '/dag-runs/caterpillar')).json.dagRuns).to.have.length(3)
      expect((await api.call('GET', '/dag-runs/butter.fly')).json.dagRuns).to.have.length(0)
    })

    it('when the spec has a name, history stays', async () => {
      api.write('file-a', `name: own\n${HELLO}`)
      await api.ended('own', await api.started('file-a'))
      await api.call('POST', '/dags/file-a/rename', { body: { newFileName: 'file-b' } })
      expect((await api.call('GET', '/dag-runs/own')).json.dagRuns).to.have.length(1)
      expect((await api.call('GET', '/dags/file-b/dag-runs')).json.dagRuns).to.have.length(1)
    })

    it('8 onto an existing file, or the same name: 409 already_exists; both files stay', async () => {
      api.write('one', HELLO)
      api.write('two', SLEEPER)
      writeFileSync(join(api.engine.config.dagsDir, 'three.yml'), SLEEPER)
      for (const newFileName of ['two', 'three', 'one'])
        expect(await codeOf('POST', '/dags/one/rename', { newFileName })).to.deep.equal([409, 'already_exists'])
      expect([readFileSync(fileOf('one'), 'utf8'), readFileSync(fileOf('two'), 'utf8')]).to.deep.equal([HELLO, SLEEPER])
    })

    it('8 while running: 400 bad_request', async () => {
      const id = await api.started('two')
      expect(await codeOf('POST', '/dags/two/rename', { newFileName: 'four' })).to.deep.equal([400, 'bad_request'])
      await api.call('POST', `/dag-runs/two/${id}/stop`)
      await api.ended('two', id)
      expect(await codeOf('POST', '/dags/two/rename', { newFileName: 'four' })).to.deep.equal([200, undefined])
    })

    it('newFileName: fileName rules plus dots, <= 40; missing -> 400', async () => {
      for (const newFileName of ['', 'a b', '../x', 'a/b', '.hidden', '-rf', '..', 'x'.repeat(41), 7, undefined])
        expect(await codeOf('POST', '/dags/one/rename', { newFileName })).to.deep.equal([400, 'bad_request'])
    })
  })
})
