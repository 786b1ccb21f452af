/** Definitions deleted, renamed, suspended, searched, sorted. Source: http-api "Definitions", api-semantics 3.2, 3.3; acceptance 4, 7, 8, 21, 22. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { type Json, liveApi } from '../support/live-api.ts'

const HELLO = 'steps:\n  - echo hi\n'
const SLEEPER = 'steps:\n  - sleep 30\n'

describe('API › changes of definitions', () => {
  const api = liveApi({ tz: 'Europe/Berlin' })
  const codeOf = async (method: string, path: string, body?: unknown) => {
    const { status, json } = await api.call(method, path, body === undefined ? {} : { body })
    return [status, json?.code]
  }
  const fileOf = (fileName: string) => join(api.engine.config.dagsDir, `${fileName}.yaml`)
  const flagOf = (fileName: string) => join(api.engine.home, 'suspend', `${fileName}.suspend`)
  const detailsOf = async (fileName: string): Promise<Json> => (await api.call('GET', `/dags/${fileName}`)).json

  it('7 rename, suspend, stop-all, DELETE of a missing definition: 404 each', async () => {
    for (const [method, path, body] of [
      ['POST', '/dags/nobody/rename', { newFileName: 'x' }],
      ['POST', '/dags/nobody/suspend', { suspend: true }],
      ['POST', '/dags/nobody/stop-all', undefined],
      ['DELETE', '/dags/nobody', undefined]
    ] as const)
      expect(await codeOf(method, path, body), path).to.deep.equal([404, 'not_found'])
  })

  describe('DELETE /dags/{fileName}', () => {
    it('-> 204 without a body; removes the file and its suspend flag; second DELETE -> 404; history stays', async () => {
      api.write('gone', HELLO)
      const dagRunId = await api.started('gone')
      await api.ended('gone', dagRunId)
      await api.call('POST', '/dags/gone/suspend', { body: { suspend: true } })
      const { status, text } = await api.call('DELETE', '/dags/gone')
      expect([status, text]).to.deep.equal([204, ''])
      expect([existsSync(fileOf('gone')), existsSync(flagOf('gone'))]).to.deep.equal([false, false])
      expect(await codeOf('DELETE', '/dags/gone')).to.deep.equal([404, 'not_found'])
      expect((await api.call('GET', '/dag-runs/gone')).json.dagRuns).to.have.length(1)
      expect((await api.call('GET', '/dags/gone/dag-runs')).json.dagRuns).to.have.length(1)
      api.write('gone', HELLO)
      expect((await detailsOf('gone')).suspended, 'born suspended').to.equal(false)
    })
    it('503 while the suspend flags cannot be read: nothing has changed', async () => {
      api.write('kept', HELLO)
      const flags = dirname(flagOf('kept'))
      rmSync(flags, { recursive: true, force: true })
      writeFileSync(flags, '')
      try {
        expect(await codeOf('DELETE', '/dags/kept')).to.deep.equal([503, 'service_unavailable'])
        expect(existsSync(fileOf('kept'))).to.equal(true)
      } finally {
        rmSync(flags)
      }
      expect((await api.call('DELETE', '/dags/kept')).status).to.equal(204)
    })
  })

  describe('POST /dags/{fileName}/suspend', () => {
    before(() => api.write('still', HELLO))

    it('{suspend: boolean} -> 200 empty; idempotent; flag file <fileName>.suspend; shown in list and details', async () => {
      for (const suspend of [true, true, false, false]) {
        const { status, text } = await api.call('POST', '/dags/still/suspend', { body: { suspend } })
        expect([status, text]).to.deep.equal([200, ''])
        expect(existsSync(flagOf('still'))).to.equal(suspend)
        expect((await detailsOf('still')).suspended).to.equal(suspend)
        const { dags } = (await api.call('GET', '/dags?name=still')).json
        expect(dags[0].suspended).to.equal(suspend)
      }
    })

    it('missing member, or one of another type -> 400', async () => {
      for (const body of [{}, { suspend: 'true' }, { suspend: null }, [], undefined])
        expect(await codeOf('POST', '/dags/still/suspend', body)).to.deep.equal([400, 'bad_request'])
    })

    it('suspended DAGs can still be started', async () => {
      await api.call('POST', '/dags/still/suspend', { body: { suspend: true } })
      await api.ended('still', await api.started('still'))
    })
  })

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

    it('a new definition of the old name, with the old run ids, has logs of its own, and so have retries with a new id', async () => {
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

    it('a retry with a new id lies with the new name: the former one may have a run with that id', async () => {
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

  describe('GET /dags sort=nextRun', () => {
    const names = async (query: string) => {
      const { dags } = (await api.call('GET', `/dags?name=cron-&${query}`)).json
      return dags.map(({ fileName }: Json) => fileName)
    }
    before(() => {
      api.write('cron-a', `schedule: "CRON_TZ=UTC 0 0 1 1 *"\n${HELLO}`)
      api.write('cron-b', `schedule: ["* * * * *", "0 3 * * *"]\n${HELLO}`)
      api.write('cron-c', HELLO)
      api.write('cron-d', `schedule: {stop: "* * * * *"}\n${HELLO}`)
    })

    it('earlier first; DAGs without a schedule last; 4 also with order=desc', async () => {
      expect(await names('sort=nextRun')).to.deep.equal(['cron-b', 'cron-a', 'cron-c', 'cron-d'])
      expect(await names('sort=nextRun&order=desc')).to.deep.equal(['cron-a', 'cron-b', 'cron-d', 'cron-c'])
    })

    it('an unknown value -> name', async () => {
      expect(await names('sort=size&order=desc')).to.deep.equal(['cron-d', 'cron-c', 'cron-b', 'cron-a'])
    })

    it('schedule and nextRun: start expressions only, in the configured zone; suspended DAGs count as without schedule', async () => {
      const year = new Date().getUTCFullYear() + 1
      expect((await detailsOf('cron-a')).dag).to.deep.include({
        schedule: [{ expression: 'CRON_TZ=UTC 0 0 1 1 *' }],
        nextRun: `${year}-01-01T01:00:00+01:00`
      })
      expect((await detailsOf('cron-d')).dag).to.deep.include({ schedule: [], nextRun: '' })
      await api.call('POST', '/dags/cron-b/suspend', { body: { suspend: true } })
      expect((await detailsOf('cron-b')).dag.nextRun).to.equal('')
      expect(await names('sort=nextRun')).to.deep.equal(['cron-a', 'cron-b', 'cron-c', 'cron-d'])
    })
  })

  it('DAG details: every documented member, with its value', async () => {
    api.write(
      'complete',
      `group: dw
description: all of it
tags: [ETL, Daily]
schedule: "0 3 * * *"
params: DAY=today
env: [{A: "1"}]
logDir: /tmp/elsewhere
delaySec: 7
histRetentionDays: 9
maxActiveRuns: 3
maxActiveSteps: 4
queue: batch
runConfig: {disableParamEdit: true, disableRunIdEdit: true}
preconditions: [{condition: "true", expected: "x"}]
handlerOn: {success: {command: echo s}, failure: {command: echo f}, cancel: {command: echo c}, exit: {command: echo e}}
steps:
  - {name: a, command: echo a, repeatPolicy: {repeat: until, intervalSec: 3, limit: 2, exitCode: [0]}}
`
    )
    const { dag, errors } = await detailsOf('complete')
    expect(errors).to.deep.equal([])
    expect(dag).to.deep.include({
      name: 'complete',
      group: 'dw',
      description: 'all of it',
      schedule: [{ expression: '0 3 * * *' }],
      params: ['DAY'],
      defaultParams: 'DAY="today"',
      tags: ['etl', 'daily'],
      env: ['A=1'],
      logDir: '/tmp/elsewhere',
      delay: 7,
      histRetentionDays: 9,
      maxActiveRuns: 3,
      maxActiveSteps: 4,
      queue: 'batch',
      runConfig: { disableParamEdit: true, disableRunIdEdit: true },
      preconditions: [{ condition: 'true', expected: 'x', error: '' }]
    })
    expect(dag.nextRun).to.match(/T03:00:00\+0[12]:00$/)
    expect(Object.keys(dag.handlerOn)).to.have.members(['success', 'failure', 'cancel', 'exit'])
    expect(dag.handlerOn.exit).to.deep.include({ name: 'onExit', command: 'echo', args: ['e'] })
    expect(dag.steps[0].repeatPolicy).to.deep.equal({
      repeat: true,
      interval: 3,
      mode: 'until',
      limit: 2,
      exitCode: [0]
    })
  })

  it('4.5 disableParamEdit: params that differ from the defaults -> 400, sent back they pass; disableRunIdEdit: an id -> 400', async () => {
    api.write('locked', `params: DAY=today\nrunConfig: {disableParamEdit: true, disableRunIdEdit: true}\n${HELLO}`)
    for (const body of [{ params: 'DAY=x' }, { params: 'MORE=1' }, { dagRunId: 'mine' }])
      expect(await codeOf('POST', '/dags/locked/start', body)).to.deep.equal([400, 'bad_request'])
    await api.ended('locked', await api.started('locked', { params: 'DAY="today"', dagRunId: '' }))
  })

  describe('GET /dags/search', () => {
    before(() => {
      api.write('sales', `group: dw\ndescription: load sales\ntags: [etl]\n${HELLO}`)
      api.write('broken', 'description: SALES\n  : [')
    })
    const search = async (q: string) => (await api.call('GET', `/dags/search?q=${encodeURIComponent(q)}`)).json

    it('21 SALES finds sales, blocks of 5 lines, startLine clipped at 1; unparsable files go to errors', async () => {
      const { results, errors } = await search('LOAD SALES')
      expect(results).to.have.length(1)
      expect(results[0]).to.deep.include({
        name: 'sales',
        matches: [{ line: 'group: dw\ndescription: load sales\ntags: [etl]\nsteps:', lineNumber: 2, startLine: 1 }]
      })
      expect(results[0].dag).to.include({ name: 'sales', description: 'load sales', nextRun: '' })
      expect(errors).to.deep.equal([])
      expect((await search('^description: SALES$')).errors.join()).to.contain('broken')
    })

    it('a file that cannot be read, such as one that is not UTF-8, goes to errors whatever is looked for', async () => {
      const file = join(api.engine.config.dagsDir, 'latin.yaml')
      writeFileSync(file, Buffer.from('description: caf\xe9\nsteps: [echo hi]\n', 'latin1'))
      for (const q of ['echo', 'nowhere', '^$']) {
        const { results, errors } = await search(q)
        const said = errors.filter((error: string) => error.startsWith('latin: '))
        expect(said, q).to.have.length(1)
        expect(said[0], q).to.contain('UTF-8')
        expect(results.map(({ name }: Json) => name)).to.not.include('latin')
      }
      rmSync(file)
    })

    it('21 q=[ gives 200 with one error; q missing or empty -> 400', async () => {
      const { results, errors } = await search('[')
      expect([results, errors.length]).to.deep.equal([[], 1])
      for (const query of ['', '?q='])
        expect(await codeOf('GET', `/dags/search${query}`)).to.deep.equal([400, 'bad_request'])
    })

    it('22 GET /dags/tags: unique, lower case, sorted; unreadable files in errors; tag=ETL finds etl', async () => {
      const { tags, errors } = (await api.call('GET', '/dags/tags')).json
      expect(tags).to.deep.equal(['daily', 'etl'])
      expect(errors.join()).to.contain('broken')
      const { dags } = (await api.call('GET', '/dags?tag=ETL')).json
      expect(dags.map(({ fileName }: Json) => fileName)).to.deep.equal(['complete', 'sales'])
    })
  })
})
