/** Definitions sorted, shown in full, searched, and their tags. Source: http-api "Definitions", api-semantics 3.2, 3.3; acceptance 4, 21, 22. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { changedDefinitions, HELLO } from '../../../support/api/changed-definitions.ts'
import type { Json } from '../../../support/api/live-api.ts'

describe('API › changes of definitions', () => {
  const { api, codeOf, detailsOf } = changedDefinitions()

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
