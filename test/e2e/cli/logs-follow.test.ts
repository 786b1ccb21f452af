/** `troupe logs --follow` while steps print, with a running server. Source: docs/cli.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { homeWith, seen } from '../../support/cli/printing-steps.ts'
import { runningServer } from '../../support/cli/program.ts'
import { eventually } from '../../support/waiting.ts'

describe('troupe logs', () => {
  it('--follow with a server: what was before, what comes, and it ends with the run', async () => {
    const waits = 'echo begun; while [ ! -e go ]; do sleep 0.02; done; echo ended'
    const there = homeWith({
      flow: `steps:
  - name: first
    command: echo first
  - name: a
    call: kid
handlerOn:
  exit:
    command: echo over
---
name: kid
steps:
  - name: b
    command: ${waits}
`
    })
    const server = await runningServer({}, { folder: there.folder })
    const start = there.troupe('start', 'flow', '-q')
    await eventually('the run', async () => ((await there.done('status', 'flow')).code === 0 ? true : undefined))
    const follower = there.troupe('logs', 'flow', '--follow')
    await seen(follower.written, 'a/b | begun\n')
    const only = there.troupe('logs', 'flow', 'a/b', '-f', '--json')
    await seen(only.written, 'begun')
    writeFileSync(join(there.folder, 'go'), '')
    expect([await start.code, await follower.code, await only.code]).to.deep.equal([0, 0, 0])
    expect(follower.written.out).to.equal('first | first\na/b | begun\na/b | ended\nonExit | over\n')
    const texts = only.written.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).text)
    expect(texts).to.deep.equal(['begun', 'ended'])
    expect((await there.done('logs', 'flow', '-f')).out).to.equal(follower.written.out)
    await server.end()
  })

  it('--follow goes on with the next engine when a server is restarted', async () => {
    const waits = 'echo begun; while [ ! -e go ]; do sleep 0.02; done; echo ended'
    const there = homeWith({
      flow: `steps:\n  - name: a\n    command: ${waits}\n  - name: b\n    command: echo later\n`
    })
    const first = await runningServer({}, { folder: there.folder })
    const start = there.troupe('start', 'flow')
    await seen(start.written, 'a | begun\n')
    const follower = there.troupe('logs', 'flow', '--follow')
    await seen(follower.written, 'a | begun\n')
    await first.end()
    const second = await runningServer({}, { folder: there.folder })
    writeFileSync(join(there.folder, 'go'), '')
    expect([await start.code, await follower.code]).to.deep.equal([0, 0])
    for (const { written } of [start, follower]) expect(written.out).to.equal('a | begun\na | ended\nb | later\n')
    await second.end()
  })
})
