/** docs/executors: the definitions of approval.md, archive.md, dag.md, http.md, jq.md, mail.md, shell.md, signal.md and sleep.md are run, and do what the page says. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunKey } from '../../../src/index.ts'
import { testEngine } from '../../../src/testing/index.ts'
import { type Asked, answering } from '../../support/docs/answering.ts'
import { definitionRuns } from '../../support/docs/definition-runs.ts'
import { blocksOf, runBlocks } from '../../support/docs/page-blocks.ts'
import { textOf } from '../../support/engine/live.ts'
import { mailServer } from '../../support/executors/mail-server.ts'
import { eventually } from '../../support/waiting.ts'

describe('docs/executors › run', () => {
  const runs = definitionRuns(() => ({ MAIL_PASSWORD: 'open sesame', EXAMPLE_TOKEN: 'sesame' }))
  const waitingFor = (key: RunKey, step: string) =>
    eventually(`${step} to wait`, () => runs.engine.waiting().find((one) => one.run.dagRunId === key.dagRunId))

  runBlocks({
    'docs/executors/approval.md': {
      yaml: [
        [
          'after a yes the next step runs, after a no the step has failed, and says who refused it',
          async (block) => {
            const ends = []
            for (const approved of [true, false]) {
              const key = await runs.start(runs.write(block, { name: 'order' }))
              const { ask, for: kind } = await waitingFor(key, 'ship')
              expect([ask, kind]).to.deep.equal(['Ship it?', 'approval'])
              await runs.engine.signal({ ...key, step: 'ship' }, { approved, note: 'too dear' }, { by: 'ann' })
              const ended = await runs.ended(key)
              ends.push([ended.status, ...ended.statuses, ended.node('ship').error, ended.out('send')])
            }
            expect(ends).to.deep.equal([
              ['succeeded', 'succeeded', 'succeeded', undefined, 'sending\n'],
              ['failed', 'failed', 'canceled', 'refused by ann: too dear', '']
            ])
          }
        ]
      ]
    },
    'docs/executors/archive.md': {
      yaml: [
        [
          'packs without what is excluded, and unpacks without the first folder',
          async (block) => {
            const files = { 'logs/a.log': 'one', 'logs/deep/b.log': 'two', 'logs/deep/c.tmp': 'three' }
            const ended = await runs.succeeds(block, { files })
            const copy = join(ended.folder, 'copy')
            expect(readdirSync(copy, { recursive: true }).sort()).to.deep.equal(['a.log', 'deep', 'deep/b.log'])
            expect(textOf(join(copy, 'deep/b.log'))).to.equal('two')
            expect(JSON.parse(ended.out('pack'))).to.include({ operation: 'create', verifyPerformed: true })
          }
        ]
      ]
    },
    'docs/executors/dag.md': {
      yaml: [
        [
          'the result of the workflow is there for the next step, and there is a sub run for each item',
          async (block) => {
            const ended = await runs.succeeds(block)
            expect(ended.out('cmd_2')).to.equal('/reports/may.pdf of monthly\n')
            const { summary, outputs } = JSON.parse(ended.out('each'))
            expect(summary).to.include({ total: 2, succeeded: 2 })
            expect(outputs).to.deep.equal([{ FILE: '/reports/january.txt' }, { FILE: '/reports/february.txt' }])
          }
        ]
      ],
      json: [
        [
          'is what the step of the definition above prints',
          async (block) => {
            const [definition = ''] = blocksOf('docs/executors/dag.md', 'yaml')
            const ended = await runs.succeeds(definition)
            const result = JSON.parse(ended.out('report'))
            expect({ ...result, dagRunId: '5Hw...' }).to.deep.equal(JSON.parse(block))
            expect(result.dagRunId).to.be.a('string')
            expect(Object.keys(result)).to.deep.equal(Object.keys(JSON.parse(block)))
          }
        ]
      ]
    },
    'docs/executors/http.md': {
      yaml: [
        [
          'sends headers and body, and the next step reads the answer',
          async (block) => {
            const site = await answering({ id: 7 })
            try {
              const ended = await runs.succeeds(block, { replaced: [['https://api.example.com', site.address]] })
              expect(ended.out('cmd_2')).to.equal('made 7\n')
              const [{ method, path, body, headers } = {}] = site.asked as Partial<Asked>[]
              expect([method, path, body]).to.deep.equal(['POST', '/items', '{"name": "demo"}'])
              expect(headers).to.include({ authorization: 'Bearer sesame', 'content-type': 'application/json' })
            } finally {
              site.close()
            }
          }
        ]
      ]
    },
    'docs/executors/jq.md': {
      yaml: [
        [
          'prints the names, without quotes',
          async (block) => {
            const ended = await runs.succeeds(block)
            expect([ended.out('names'), ended.node('names').output]).to.deep.equal(['b\n', 'b'])
          }
        ]
      ]
    },
    'docs/executors/mail.md': {
      yaml: [
        [
          'one message to both, with the file, from who has signed in',
          async (block) => {
            const server = await mailServer({
              hideSTARTTLS: true,
              onAuth({ username, password }, _, done) {
                if (username === 'robot' && password === 'open sesame') done(null, { user: username })
                else done(new Error('wrong name or password'))
              }
            })
            try {
              const ended = await runs.succeeds(block, {
                name: 'sales',
                files: { 'report.csv': 'a,b\n' },
                replaced: [
                  ['mail.example.com', '127.0.0.1'],
                  ['"587"', `"${server.port}"`]
                ]
              })
              const [mail] = server.arrived
              expect(server.arrived.length).to.equal(1)
              expect(mail).to.deep.include({
                from: 'robot@example.com',
                to: ['a@example.com', 'b@example.com'],
                user: 'robot',
                subject: 'Report of sales'
              })
              expect(mail?.html).to.contain('The report is attached.<br />')
              expect(mail?.attachments.map(({ name, text }) => [name, text])).to.deep.equal([['report.csv', 'a,b\n']])
              expect(ended.out('tell')).to.contain('sending email succeed.')
            } finally {
              await server.close()
            }
          }
        ]
      ]
    },
    'docs/executors/shell.md': {
      yaml: [
        [
          'a pipe of bash, a list of words, a script with its own program, a script for a command',
          async (block) => {
            const ended = await runs.succeeds(block, { files: { 'a.csv': '1', 'b.csv': '2', 'data/c': '3' } })
            expect(ended.node('count').output).to.equal('2')
            expect(existsSync(join(ended.folder, 'all 2.tgz'))).to.equal(true)
            expect(existsSync(join(ended.folder, 'reports'))).to.equal(true)
            expect(ended.out('script')).to.equal('2 files\n')
            expect(ended.out('file')).to.equal('run as: python3 -u <file>\n')
          }
        ]
      ]
    },
    'docs/executors/signal.md': {
      yaml: [
        [
          'asks, refuses what does not fit, and completes what does by the defaults',
          async (block) => {
            const key = await runs.start(runs.write(block))
            const waiting = await waitingFor(key, 'paid')
            expect([waiting.ask, waiting.until !== undefined]).to.deep.equal(['Has order 17 been paid?', true])
            const step = { ...key, step: 'paid' }
            const refused = await runs.engine.signal(step, { amount: -1 }).catch(({ code }) => code)
            expect(refused).to.equal('bad_request')
            await runs.engine.signal(step, { amount: 3 })
            const ended = await runs.ended(key)
            expect([ended.status, ended.out('book')]).to.deep.equal(['succeeded', '3 EUR\n'])
          }
        ]
      ]
    },
    'docs/executors/sleep.md': {
      yaml: [
        [
          'sleeps for the durations, and not at all until an instant that has passed',
          async (block) => {
            // D1563: hours are those of a clock of the test
            // Nobody waits for eight hours: the clock is that of the test, all else the engine's.
            const engine = await testEngine({ dags: [`name: flow\n${block}`], now: '2026-03-01T00:00Z' })
            try {
              const key = await engine.start({ fileName: 'flow' })
              const statuses = () => engine.run(key)?.nodes.map(({ node }) => node.status)
              await engine.advance('89s')
              expect(statuses()).to.deep.equal(['running', 'not_started', 'not_started'])
              await engine.advance('2s')
              expect(statuses()).to.deep.equal(['succeeded', 'running', 'not_started'])
              await engine.advance('8h')
              expect(statuses()).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
            } finally {
              await engine.close()
            }
          }
        ]
      ]
    }
  })
})
