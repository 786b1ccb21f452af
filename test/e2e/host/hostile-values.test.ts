/** What the code of a host application throws, answers or passes ends its step, never the process. Source: docs/executors/function.md "Errors". */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/homes.ts'
import { HOSTILE } from '../../support/hosts/hostile-values.ts'

const HOST = fileURLToPath(new URL('../../support/hosts/hostile-host.js', import.meta.url))
const UNREADABLE = 'what was thrown cannot be read'

describe('hostile values of a host application', function () {
  this.timeout(120_000)
  const home = temporaryFolder()
  const opened = async (...args: string[]): Promise<Record<string, string>> =>
    JSON.parse((await promisify(execFile)(process.execPath, [HOST, home, ...args])).stdout)
  let ended: Record<string, string> = {}
  before(async () => {
    ended = await opened('start')
  })

  for (const place of ['throws', 'rejects', 'each', 'preconditions', 'env', 'checked', 'doubted', 'executorThrows'])
    it(`fails the step for each of them: ${place}`, () => {
      for (const value of Object.keys(HOSTILE))
        expect(ended[`${place}-${value.replaceAll(' ', '_')}`], value).to.match(/^failed /)
      for (const value of ['revoked_proxy', 'revoked_error', 'hostile_traps'])
        expect(ended[`${place}-${value}`], value).to.contain(UNREADABLE)
    })

  it('says of an error whose name cannot be read that it cannot be read', () => {
    for (const place of ['throws', 'rejects', 'each'])
      for (const what of ['name', 'message', 'stack', 'cause', 'code'])
        expect(ended[`${place}-${what}_bites`], `${place} ${what}`).to.contain(`unknown: ${UNREADABLE}`)
  })

  it('the process goes on, and a restart repeats nothing', async () => {
    expect(await opened()).to.deep.equal(ended)
  })
})
