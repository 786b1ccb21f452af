/** When logs were written, through a real engine: what a retry under a new id takes along. Source: docs/http-api.md. */
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { timesPath } from '../../../src/platform/log-times.ts'

const SPEC = `name: flow
steps:
  - name: keep
    command: sh -c 'echo one; sleep 2.2; echo two'
  - name: bad
    command: exit 1
`

describe('times of logs', () => {
  it('a retry under a new id has copies of the logs that it keeps, with their times', async () => {
    const engine = await createEngine({ temporary: true })
    try {
      const first = await engine.start({ spec: SPEC, dagRunId: 'r1' })
      const logOf = async (key: typeof first) => (await engine.result(key)).nodes[0]?.node.stdout ?? ''
      const log = await logOf(first)
      const again = await engine.retry(first, { dagRunId: 'r2' })
      const copy = await logOf(again)
      expect(copy).not.to.equal(log)
      expect(readFileSync(copy, 'utf8')).to.equal('one\ntwo\n')
      expect(existsSync(timesPath(log))).to.equal(true)
      expect(readFileSync(timesPath(copy), 'utf8')).to.equal(readFileSync(timesPath(log), 'utf8'))
    } finally {
      await engine.close()
    }
  })
})
