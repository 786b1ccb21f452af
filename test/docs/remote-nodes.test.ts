/** The manual's page on remote nodes shows a configuration that works, and commands that reach the nodes that it names. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { authority } from '../support/auth/certificates.ts'
import { type RunningServer, runningServer } from '../support/cli/program.ts'
import { fencesIn } from '../support/docs/fences.ts'
import { shellIn } from '../support/docs/pasting.ts'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

const page = readFileSync(join(PROJECT, 'docs', 'remote-nodes.md'), 'utf8')

describe('docs/remote-nodes.md', () => {
  it('its configuration is read without a warning', () => {
    const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
    const home = temporaryFolder()
    writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 })
    const { remoteNodes, warnings } = readConfig({ home }, { ST_PASSWORD: 'p', LAB_TOKEN: 't' })
    expect(warnings).to.deep.equal([])
    expect(remoteNodes.map(({ name, timeoutMs }) => [name, timeoutMs])).to.deep.equal([
      ['staging', 30_000],
      ['lab', 10_000]
    ])
    expect(remoteNodes[1]?.tls.caFile).to.equal(join(home, 'lab-ca.pem'))
    expect(page).to.contain(JSON.stringify({ remoteNodes: ['local', ...remoteNodes.map(({ name }) => name)] }))
  })

  it('its commands: the list of the nodes, and what one server asks two others, one by its password, one by token and certificate', async function () {
    this.timeout(120_000)
    const lab = authority('lab')
    /** A folder with these files, and with certificates. */
    const folderWith = (files: Record<string, string>) => {
      const folder = temporaryFolder()
      const { cert, key } = lab.issue('any')
      mkdirSync(join(folder, 'dags'))
      const all = { ...files, 'lab-ca.pem': lab.cert, 'client.pem': cert, 'client.key': key }
      for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text, { mode: 0o600 })
      return folder
    }
    const tls = 'certFile: client.pem, keyFile: client.key'
    const nightly = 'params: DAY=today\nsteps: [{name: load, command: test "$DAY" = 2026-03-01}]\n'
    const servers: RunningServer[] = []
    const started = async (...given: Parameters<typeof runningServer>) => {
      const server = await runningServer(...given)
      servers.push(server)
      return server
    }
    try {
      const { address: staging } = await started(
        {},
        {
          folder: folderWith({ 'dags/on-staging.yaml': nightly }),
          file: `tls: { ${tls} }\nauth: { basic: { username: ops, password: far-password } }\n`
        }
      )
      const { address: far } = await started(
        {},
        {
          folder: folderWith({ 'dags/nightly.yaml': nightly }),
          file: `tls: { ${tls}, caFile: lab-ca.pem }\nauth: { token: { value: far-token } }\n`
        }
      )
      const [, config = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
      const folder = folderWith({})
      const { address } = await started(
        {
          ST_PASSWORD: 'far-password',
          LAB_TOKEN: 'far-token',
          NODE_EXTRA_CA_CERTS: join(folder, 'lab-ca.pem') // the page has `caFile` at one of its nodes only
        },
        {
          folder,
          file: config.replace('https://st.example.com', staging).replace('https://10.0.0.7:8443', far)
        }
      )
      const [commands = '', ...others] = fencesIn('', page).flatMap(({ language, text }) =>
        language === 'sh' ? [text] : []
      )
      expect(others).to.deep.equal([])
      const { out } = await shellIn(folder, [['http://127.0.0.1:8080', address]]).paste(commands, {
        until: (out) => /"actor":"run\/nightly\/[^/"]+".*"statusLabel":"(?:succeeded|failed)"/.test(out)
      })
      const [, promised = 'nothing'] = /\/remote-nodes +# (\{.*)$/m.exec(commands) ?? []
      expect(out.startsWith(promised), out).to.equal(true)
      expect(out).to.match(/"dags":\[.*"fileName":"on-staging".*\]/)
      expect(out).to.match(/\{"dagRunId":"[^"]+"\}.*the journal\n/)
      expect(out).to.contain('"to":"succeeded"').and.not.contain('_error"')
    } finally {
      for (const server of servers) await server.end()
    }
  })
})
