/** What steps print, as `troupe retry` shows it. Source: docs/cli.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { homeWith } from '../../support/cli/printing-steps.ts'
import { runningServer } from '../../support/cli/program.ts'

describe('troupe retry › what steps print', () => {
  it('of the steps that run again, not of those that are kept, when some of them call others', async () => {
    const there = homeWith({
      flow: `steps:
  - name: kept
    command: echo kept
  - name: call
    call: kid
---
name: kid
steps:
  - name: fine
    command: echo fine
  - name: flaky
    command: echo flaky; test -e ok
`
    })
    const first = await there.done('start', 'flow', '-r', 'r1')
    expect(first.out).to.equal('kept | kept\ncall/fine | fine\ncall/flaky | flaky\n')
    expect((await there.done('retry', 'flow', '-r', 'latest', '--output', 'failed')).out).to.equal(
      'call/flaky | flaky\n'
    )
    writeFileSync(join(there.folder, 'ok'), '')
    const server = await runningServer({}, { folder: there.folder })
    const again = await there.done('retry', 'flow', '-r', 'r1')
    await server.end()
    expect(again.code).to.equal(0)
    expect(again.out).to.equal('call/flaky | flaky\n')
  })
})
