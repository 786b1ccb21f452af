/** Settings of configuration.md, notifications.md and remote-nodes.md: a real server is started with them, and does what the page says. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { authority } from '../../support/auth/certificates.ts'
import { serversOnLoopback } from '../../support/auth/servers-on-loopback.ts'
import { blocksOf, runBlocks } from '../../support/docs/page-blocks.ts'
import { during } from '../../support/docs/settings-runs.ts'
import { closeReceivers, receiver, type Told } from '../../support/engine/receiver.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const SAY = 'steps: [{name: say, command: echo said}]\n'
const DAGS = '/api/v2/dags'
const startOf = (name: string) => `${DAGS}/${name}/start`
const namesIn = ({ json }: { json: { dags: { fileName: string }[] } }) => json.dags.map(({ fileName }) => fileName)

/** Key names and kinds of values, as deep as they go. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.entries(value).map(([key, inside]) => [key, shapeOf(inside)])
}

describe('docs › settings, run', function () {
  this.timeout(120_000)
  const { serverOf } = serversOnLoopback()
  after(closeReceivers)

  let notified: ReturnType<typeof failures> | undefined
  /** What both targets of docs/notifications.md are told of one run that fails, and of one that no pattern of the first is for. */
  async function failures(block: string) {
    const [ops, audit] = [await receiver(), await receiver()]
    const around = {
      environment: { HOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', AUDIT_TOKEN: 'sesame' },
      files: { 'audit.key': 'a secret of enough bytes\n' },
      definitions: { 'etl-day': 'params: "DAY=may"\nsteps: [{name: load, command: exit 1}]\n', other: SAY },
      replaced: [
        ['https://ops.example.com/hooks/troupe', ops.url],
        ['https://audit.example.com/in', audit.url]
      ] as const
    }
    return during(block, around, async (server) => {
      for (const name of ['etl-day', 'other']) expect(await server.status(startOf(name), { body: {} })).to.equal(200)
      const wanted = ['run.failed', 'run.started', 'run.started', 'run.succeeded', 'step.failed']
      await eventually('all events', () => audit.told.length >= wanted.length || undefined)
      expect(audit.types().sort()).to.deep.equal(wanted)
      await eventually('both of the failure', () => ops.told.length >= 2 || undefined)
      return { ops, audit, err: server.written.err }
    })
  }
  const toldOf = () => {
    notified ??= failures(blocksOf('docs/notifications.md', '')[0] ?? '')
    return notified
  }

  runBlocks({
    'docs/configuration.md': {
      yaml: [
        [
          'below /eng, for the admin, who may not write; definitions and times are from where it says',
          (block) =>
            during(
              block,
              {
                environment: { ADMIN_PASSWORD: 'open sesame' },
                definitions: { etl: `schedule: "0 12 1 1 *"\n${SAY}` },
                dags: 'workflows',
                replaced: [['8080', '0']],
                argv: []
              },
              async ({ ask, status, written }) => {
                const admin = {
                  headers: { Authorization: `Basic ${Buffer.from('admin:open sesame').toString('base64')}` }
                }
                expect(await status(`/eng${DAGS}`)).to.equal(401)
                expect(await status(DAGS, admin)).to.equal(404)
                expect(namesIn(await ask(`/eng${DAGS}`, admin))).to.deep.equal(['etl'])
                expect(await status(`/eng${DAGS}`, { ...admin, body: { name: 'more' } })).to.equal(403)
                expect((await ask('/eng/', admin)).text).to.contain('/eng/')
                const { json } = await ask(`/eng${DAGS}/etl`, admin)
                expect(JSON.stringify(json)).to.contain('-01-01T12:00:00+01:00')
                expect(written.err).not.to.contain('WARN')
              }
            )
        ],
        [
          'the queue has two places, and the token its permissions',
          (block) =>
            during(
              block,
              {
                environment: { CI_TOKEN: 'builds' },
                definitions: {
                  load: 'queue: etl\nmaxActiveRuns: 5\nsteps: [{name: wait, executor: {type: signal, config: {}}}]\n'
                }
              },
              async ({ ask, status }) => {
                const token = 'builds'
                for (const _ of [1, 2, 3])
                  expect(await status(`${DAGS}/load/enqueue`, { token, body: {} })).to.equal(200)
                const etl = await eventually('two of three runs', async () => {
                  const { json } = await ask('/api/v2/queues', { token })
                  const found = json.queues.find(({ name }: { name: string }) => name === 'etl')
                  return found?.running.length === 2 && found.queued.length === 1 ? found : undefined
                })
                expect(etl.maxConcurrency).to.equal(2)
                expect(await status(DAGS, { token, body: { name: 'more' } })).to.equal(403)
              }
            )
        ],
        [
          'everybody sees, nobody starts, and the payroll is not there',
          (block) =>
            during(block, { definitions: { etl: SAY, 'payroll-may': SAY } }, async ({ ask, status }) => {
              expect(namesIn(await ask(DAGS))).to.deep.equal(['etl'])
              expect(await status(startOf('etl'), { body: {} })).to.equal(403)
              expect(await status(`${DAGS}/payroll-may`)).to.equal(404)
            })
        ]
      ]
    },
    'docs/notifications.md': {
      '': [
        [
          'the first target hears of failures of its DAGs alone, the second of everything, with params and its header',
          async () => {
            const { ops, audit, err } = await toldOf()
            expect(ops.types().sort()).to.deep.equal(['run.failed', 'step.failed'])
            const dag = ({ event }: Told) => `${event.data.name} ${event.source}`
            expect(new Set(ops.told.map(dag))).to.deep.equal(new Set(['etl-day https://troupe.example.com']))
            expect(ops.told[0]?.headers['webhook-signature']).to.match(/^v1,/)
            expect(ops.told[0]?.event.data).not.to.have.property('params')
            const failed = audit.told.find(({ event }) => event.type === 'troupe.run.failed.v1')
            expect(failed?.event.data.params).to.deep.equal([{ name: 'DAY', value: 'may' }])
            expect(failed?.headers.authorization).to.equal('Bearer sesame')
            expect(err).not.to.contain('WARN')
          }
        ]
      ],
      json: [
        [
          'is what a target is sent',
          async (block) => {
            const { ops } = await toldOf()
            const { event, headers } = ops.told.find(({ event }) => event.type.includes('run')) ?? expect.fail('none')
            const shown = JSON.parse(block)
            expect(headers['content-type']).to.contain('application/cloudevents+json')
            const { trigger, ...data } = event.data
            const { trigger: shownTrigger, ...shownData } = shown.data
            expect(shapeOf({ ...event, data })).to.deep.equal(shapeOf({ ...shown, data: shownData }))
            expect(Object.keys(event.data)).to.deep.equal(Object.keys(shown.data))
            expect([trigger, shownTrigger].map((one) => typeof one.type)).to.deep.equal(['string', 'string'])
            expect([event.type, event.source]).to.deep.equal([shown.type, shown.source])
            expect(data.status).to.equal(shown.data.status)
            const { startedAt, finishedAt } = Object(data.failedSteps)[0]
            const [failed] = shown.data.failedSteps
            expect(data.failedSteps).to.deep.equal([{ ...failed, startedAt, finishedAt }])
            const address = (subject: string) => `${shown.source}/#/runs/${subject}`
            expect([data.url, shown.data.url]).to.deep.equal([address(event.subject), address(shown.subject)])
          }
        ]
      ]
    },
    'docs/remote-nodes.md': {
      yaml: [
        [
          'each node answers, with the credentials and the certificate that it wants',
          async (block) => {
            const { issue, cert } = authority('lab-ca')
            const [lab, client] = [issue('lab'), issue('client')]
            const folder = temporaryFolder()
            for (const [name, text] of Object.entries({ 'ca.pem': cert, 'lab.pem': lab.cert, 'lab.key': lab.key }))
              writeFileSync(join(folder, name), text)
            const { server: far } = await serverOf('of-lab', {
              'tls.certFile': join(folder, 'lab.pem'),
              'tls.keyFile': join(folder, 'lab.key'),
              'tls.caFile': join(folder, 'ca.pem'),
              'auth.token.value': 'lab-token'
            })
            const { server: near } = await serverOf('of-staging', {
              'auth.basic.username': 'ops',
              'auth.basic.password': 'geheim'
            })
            const replaced = [
              ['https://st.example.com', `http://127.0.0.1:${near.port}`],
              ['10.0.0.7:8443', `127.0.0.1:${far.port}`]
            ] as const
            const around = {
              environment: { ST_PASSWORD: 'geheim', LAB_TOKEN: 'lab-token' },
              definitions: { 'of-here': SAY },
              files: { 'lab-ca.pem': cert, 'client.pem': client.cert, 'client.key': client.key },
              replaced
            }
            await during(block, around, async ({ ask }) => {
              const remoteNodes = ['local', 'staging', 'lab']
              expect((await ask('/api/v2/remote-nodes')).json).to.deep.equal({ remoteNodes })
              for (const [name, listed] of [
                ['local', 'of-here'],
                ['staging', 'of-staging'],
                ['lab', 'of-lab']
              ])
                expect(namesIn(await ask(`${DAGS}?remoteNode=${name}`)), name).to.deep.equal([listed])
            })
          }
        ]
      ],
      json: [
        [
          'is the answer for a node that is down',
          async (block) => {
            const [settings = ''] = blocksOf('docs/remote-nodes.md', 'yaml')
            const { cert, issue } = authority('lab-ca')
            const client = issue('client')
            const around = {
              environment: { ST_PASSWORD: 'geheim', LAB_TOKEN: 'lab-token' },
              files: { 'lab-ca.pem': cert, 'client.pem': client.cert, 'client.key': client.key },
              replaced: [['https://st.example.com', 'http://127.0.0.1:9']] as const
            }
            await during(settings, around, async ({ ask }) => {
              const { status, json } = await ask(`${DAGS}?remoteNode=staging`)
              expect([status, json]).to.deep.equal([502, JSON.parse(block)])
            })
          }
        ]
      ]
    }
  })
})
