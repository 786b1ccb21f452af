/** Settings of authentication.md: a real server is started with them, and lets in whom the page says, to do what it says. */
import { join } from 'node:path'
import { expect } from 'chai'
import { auditPart } from '../../../src/audit/read.ts'
import { browser, identityProvider } from '../../support/auth/identity-provider.ts'
import { runBlocks } from '../../support/docs/page-blocks.ts'
import { during } from '../../support/docs/settings-runs.ts'
import { freePort } from '../../support/free-port.ts'

const SAY = 'maxActiveRuns: -1\nsteps: [{name: say, command: echo said}]\n'
const DAGS = '/api/v2/dags'
const startOf = (name: string) => `${DAGS}/${name}/start`
const namesIn = ({ json }: { json: { dags: { fileName: string }[] } }) => json.dags.map(({ fileName }) => fileName)

describe('docs › settings of authentication, run', function () {
  this.timeout(120_000)
  const OIDC_SECRET = 'a secret: with/odd+letters'
  const withProvider = async <T>(
    clientUrl: string,
    work: (provider: Awaited<ReturnType<typeof identityProvider>>) => Promise<T>
  ): Promise<T> => {
    const provider = await identityProvider({ clientId: 'troupe', clientSecret: OIDC_SECRET, clientUrl })
    try {
      return await work(provider)
    } finally {
      await provider.close()
    }
  }

  runBlocks({
    'docs/authentication.md': {
      yaml: [
        [
          'one token reads, the other one starts, neither writes',
          (block) =>
            during(
              block,
              { environment: { DASHBOARD_TOKEN: 'shows', CI_TOKEN: 'builds' }, definitions: { etl: SAY } },
              async ({ status }) => {
                const statuses = (token: string) =>
                  Promise.all([
                    status(DAGS, { token }),
                    status(startOf('etl'), { token, body: {} }),
                    status(DAGS, { token, body: { name: 'more' } })
                  ])
                expect(await statuses('shows')).to.deep.equal([200, 403, 403])
                expect(await statuses('builds')).to.deep.equal([200, 200, 403])
                expect(await statuses('guessed')).to.deep.equal([401, 401, 401])
              }
            )
        ],
        [
          'each has the role on the server, and the rules count instead where they are for a caller',
          (block) =>
            withProvider('https://troupe.example.org', ({ issuer, signed }) =>
              during(
                block,
                {
                  environment: { DASHBOARD_TOKEN: 'shows', CI_TOKEN: 'builds', OIDC_SECRET },
                  definitions: { etl: SAY, payroll: `tags: [confidential]\n${SAY}`, 'prod-db': SAY },
                  replaced: [['https://login.example.org', issuer]]
                },
                async ({ ask, status }) => {
                  /** Definitions that are listed, and the answers to a start of each. */
                  const seen = async (token: string) => [
                    namesIn(await ask(DAGS, { token })).join(' '),
                    ...(await Promise.all(
                      ['etl', 'payroll', 'prod-db'].map((name) => status(startOf(name), { token, body: {} }))
                    ))
                  ]
                  const all = 'etl payroll prod-db'
                  const open = 'etl prod-db'
                  const person = (...groups: string[]) => seen(signed({ sub: groups.join('-'), groups }))
                  expect(await seen('builds')).to.deep.equal([open, 200, 404, 200])
                  expect(await seen('shows')).to.deep.equal([all, 403, 403, 403])
                  expect(await person('platform-team')).to.deep.equal([all, 200, 200, 200])
                  expect(await person('data-team')).to.deep.equal([open, 200, 404, 403])
                  expect(await person('hr')).to.deep.equal([all, 403, 403, 403])
                  expect(await person('sales')).to.deep.equal([open, 403, 404, 403])
                }
              )
            )
        ],
        [
          'a browser is sent to the provider and signs in; who is not on the list may not',
          async (block) => {
            const port = await freePort()
            const address = `http://127.0.0.1:${port}`
            await withProvider(address, ({ issuer }) =>
              during(
                block,
                {
                  environment: { OIDC_SECRET },
                  replaced: [
                    ['https://login.example.org', issuer],
                    ['https://troupe.example.org', address]
                  ],
                  argv: ['--port', String(port)]
                },
                async () => {
                  const ann = browser()
                  expect((await ann.send(address + DAGS)).status).to.equal(401)
                  const page = await ann.signIn(`${address}/`, 'ann')
                  expect([page.status, new URL(page.url).pathname]).to.deep.equal([200, '/'])
                  expect((await ann.send(address + DAGS)).status).to.equal(200)
                  const eve = browser()
                  expect((await eve.signIn(`${address}/`, 'eve')).status).to.equal(403)
                  expect((await eve.send(address + DAGS)).status).to.equal(401)
                }
              )
            )
          }
        ],
        [
          'requests for that name are answered, of its pages too, and no others',
          (block) =>
            during(block, { definitions: { etl: SAY } }, async ({ status }) => {
              const [own, foreign] = ['https://troupe.example.org', 'https://elsewhere.example.org']
              const start = (host: string, origin: string) =>
                status(startOf('etl'), { body: {}, headers: { Host: new URL(host).host, Origin: origin } })
              expect(await status('/', { headers: { Host: 'troupe.example.org' } })).to.equal(200)
              expect(await status('/', { headers: { Host: 'elsewhere.example.org' } })).to.equal(403)
              expect(await start(own, own)).to.equal(200)
              expect(await start(own, foreign)).to.equal(403)
              expect(await start('http://127.0.0.1', own), 'the proxy rewrites Host').to.equal(200)
            })
        ],
        [
          'what such a proxy says of its client is believed, and of others nothing',
          (block) =>
            during(
              block,
              // Not every machine has IPv6.
              {
                definitions: { etl: SAY },
                replaced: [['::1', '127.0.0.1']],
                environment: { ENGINE_AUDIT_ENABLED: 'true' }
              },
              async ({ ask, folder }) => {
                const forwarded = {
                  'X-Forwarded-For': '203.0.113.9, 198.51.100.7, 10.0.0.5',
                  'X-Forwarded-Host': 'troupe.example.org',
                  'X-Forwarded-Proto': 'https',
                  Origin: 'https://troupe.example.org'
                }
                const start = (from: string) => ask(startOf('etl'), { body: {}, from, headers: forwarded })
                expect((await start('127.0.0.1')).status).to.equal(200)
                expect((await start('127.0.0.2')).status).to.equal(403)
                const { entries } = await auditPart(join(folder, 'audit'), { filter: {}, limit: 100 })
                const addresses = entries.flatMap(({ address }) => (address === undefined ? [] : [address]))
                expect(addresses.reverse()).to.deep.equal(['198.51.100.7', '127.0.0.2'])
              }
            )
        ]
      ]
    }
  })
})
