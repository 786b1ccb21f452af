/** Executors that the configuration does not allow: refused at a start, and failed by name where a run was there before. Source: docs/operating/limits.md "Executors". */
import { expect } from 'chai'
import { createEngine, type Engine, type RunKey } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'

const HTTP_ONLY = { 'executors.allow': 'http' }
const REFUSED = 'the executor shell is not allowed: executors.allow has http'

describe('executors.allow', () => {
  let home: string
  let engine: Engine | undefined
  beforeEach(() => {
    home = temporaryFolder()
  })
  afterEach(() => engine?.close({ runs: 'stop' }))
  const opened = async (settings: Record<string, unknown>, holdQueues = false) => {
    await engine?.close({ runs: 'leave' })
    engine = await createEngine({ home, defaultShell: 'sh', settings, holdQueues })
    return engine
  }
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('it was not refused'),
      (error: Error) => error.message
    )
  const nodesOf = async (key: RunKey) => (await (engine as Engine).result(key)).nodes.map(({ node }) => node)

  it('a start is refused with the place, and so is a retry of a run from before', async () => {
    const before = await opened({})
    const key = await before.start({ spec: 'name: a\nsteps:\n  - exit 3\n' })
    await before.result(key)
    const { start, retry } = await opened(HTTP_ONLY)
    expect(await failure(start({ spec: 'name: a\nsteps:\n  - exit 3\n' }))).to.equal(
      `invalid spec: field 'command': ${REFUSED} (line 3, column 5)`
    )
    expect(await failure(retry(key))).to.equal(`step "cmd_1": ${REFUSED}`)
  })

  it('a run that waited when the setting came fails by name, without a retry, and its handlers too', async () => {
    const before = await opened({}, true)
    const spec = `
name: a
steps:
  - {name: one, command: echo one, retryPolicy: {limit: 3, intervalSec: 0}}
  - {name: two, command: echo two}
handlerOn: {exit: echo over}
`
    const key = await before.enqueue({ spec })
    await opened(HTTP_ONLY)
    const [one, two] = await nodesOf(key)
    expect(one).to.include({ status: 'failed', error: REFUSED, retryCount: 0 })
    expect(two?.status).to.equal('canceled')
    const { handlers } = await (engine as Engine).result(key)
    expect(handlers.onExit?.node).to.include({ status: 'failed', error: REFUSED })
  })

  it('what has begun goes on', async () => {
    const before = await opened({})
    const key = await before.start({ spec: `name: a\nsteps: [echo go >${home}/begun; sleep 1; echo gone]\n` })
    const { existsSync } = await import('node:fs')
    const { eventually } = await import('../../support/waiting.ts')
    await eventually('the step', () => (existsSync(`${home}/begun`) ? true : undefined))
    await opened(HTTP_ONLY)
    expect((await nodesOf(key))[0]).to.include({ status: 'succeeded' })
  })

  it('no command runs for a condition or a variable where no shell may', async () => {
    const { start } = await opened(HTTP_ONLY)
    for (const [field, text] of Object.entries({ env: 'env: [{A: "`id`"}]', params: 'params: "A=`id`"' })) {
      const key = await start({
        spec: `name: a\n${text}\nsteps: [{name: w, executor: {type: sleep, config: {for: PT1S}}}]\n`
      }).then(
        (key) => nodesAndError(key),
        (error: Error) => error.message
      )
      expect(key, field).to.include(`the command "id" is not executed: a command runs in a shell, and ${REFUSED}`)
    }
  })
  const nodesAndError = async (key: RunKey) => (await (engine as Engine).result(key)).run.error ?? 'no error'
})
