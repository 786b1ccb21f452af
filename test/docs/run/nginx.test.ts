/** docs/authentication.md "Behind a proxy": a real nginx with the lines of the page stands before a server with its setting, which sees everything as clients do. */
import { join } from 'node:path'
import { expect } from 'chai'
import { auditPart } from '../../../src/audit/read.ts'
import { needsNginx, nginxBefore } from '../../support/docs/nginx.ts'
import { blocksOf, runBlocks } from '../../support/docs/page-blocks.ts'
import { during } from '../../support/docs/settings-runs.ts'

// D1561: the lines for nginx are run by nginx
describe('docs › behind nginx', function () {
  this.timeout(120_000)
  needsNginx()

  runBlocks({
    'docs/authentication.md': {
      nginx: [
        [
          'page and API work by the name of the proxy, foreign pages do not, and clients have their own addresses',
          (block) => {
            const setting = blocksOf('docs/authentication.md', 'yaml').find((text) => text.includes('trustedProxies'))
            const around = {
              environment: { ENGINE_AUDIT_ENABLED: 'true', ENGINE_BASE_PATH: '/eng' },
              definitions: { etl: 'maxActiveRuns: -1\nsteps: [{name: say, command: echo said}]\n' },
              // Not every machine has IPv6.
              replaced: [['::1', '127.0.0.1']] as const
            }
            return during(setting ?? '', around, async ({ ask, address, folder }) => {
              const { port, end } = await nginxBefore(new URL(address).origin, block)
              try {
                const [host, own] = ['troupe.example.org', 'http://troupe.example.org']
                const page = await ask('/eng/', { port, headers: { Host: host } })
                expect([page.status, page.text.includes('/eng/')]).to.deep.equal([200, true])
                const start = async (origin: string, from: string, more: Record<string, string> = {}) => {
                  const headers = { Host: host, Origin: origin, ...more }
                  return (await ask('/eng/api/v2/dags/etl/start', { port, body: {}, from, headers })).status
                }
                expect(await start(own, '127.0.0.5')).to.equal(200)
                expect(await start('https://foreign.example.org', '127.0.0.6')).to.equal(403)
                // What a client says of itself does not count. That 80 is no port to name follows from the scheme.
                const lies = {
                  Host: `${host}:80`,
                  'X-Forwarded-For': '203.0.113.9',
                  'X-Forwarded-Host': 'foreign.example.org',
                  'X-Forwarded-Proto': 'https'
                }
                expect(await start(own, '127.0.0.7', lies)).to.equal(200)
                expect(await start('https://foreign.example.org', '127.0.0.8', lies)).to.equal(403)
                const { entries } = await auditPart(join(folder, 'audit'), { filter: {}, limit: 100 })
                const addresses = entries.flatMap(({ address: from }) => (from === undefined ? [] : [from]))
                expect(addresses.reverse()).to.deep.equal(['127.0.0.5', '127.0.0.6', '127.0.0.7', '127.0.0.8'])
              } finally {
                await end()
              }
            })
          }
        ]
      ]
    }
  })
})
