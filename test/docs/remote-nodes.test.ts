/** The manual's page on remote nodes shows a configuration that works. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
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
})
