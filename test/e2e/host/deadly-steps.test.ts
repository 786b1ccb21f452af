/** A host application whose process one of its steps ends. Source: docs/executors/function.md "A function that ends the process". */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { z } from 'zod'
import { createEngine, defineFunction } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong, oneIn } from '../../support/long.ts'
import { PROJECT } from '../../support/project.ts'

const HOST = join(PROJECT, 'dist/test/support/engine/deadly-host.js')
const FUNCTION =
  'steps: [{name: a, executor: {type: function, config: {name: deadly}}, retryPolicy: {limit: 5, intervalSec: 0}}]'
const EACH =
  'steps: [{name: a, executor: {type: function, config: {name: item}}, each: {items: [1, 2, 3], maxConcurrent: 1}}]'
const EXECUTOR = 'steps: [{name: a, executor: killer, command: go, retryPolicy: {limit: 5, intervalSec: 0}}]'
const PRECONDITION = 'steps: [{name: a, command: "true", functions: {preconditions: deadly}, preconditions: ["true"]}]'
const LOOP = 'steps: [{name: a, command: "true", repeatPolicy: {repeat: until, function: deadly, limit: 3}}]'
const PAGES =
  'steps: [{name: a, executor: {type: function, config: {name: item}}, each: {pages: 3}, functions: {items: deadly}}]'
const DIED_TWICE =
  'the process ended twice while this step was running, so it is not begun a third time: look at what it does, then retry it by hand'

describe('a step that ends the process of its host', () => {
  let home: string
  let folder: string
  beforeEach(() => {
    home = temporaryFolder()
    folder = temporaryFolder()
  })
  /** Resolves with what it said once it has ended, or waits with nothing to do and has been asked to end. */
  async function lived(how: string, times: number, ...spec: string[]) {
    const child = spawn(process.execPath, [HOST, home, folder, how, String(times), ...spec], {
      stdio: ['ignore', 'pipe', 'ignore']
    })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
      if (out.endsWith('waits\n')) child.kill('SIGTERM')
    })
    const [code] = await once(child, 'close')
    return { code, out }
  }
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')

  for (const how of oneIn(3, ['exit', 'throw', 'abort']))
    it(`a function that ends it (${how}) at each call is called twice: the third engine comes up, and the step has failed and says why`, async () => {
      expect((await lived(how, 9, FUNCTION)).code, 'first').to.not.equal(0)
      expect((await lived(how, 9)).code, 'second').to.not.equal(0)
      expect(await lived(how, 9)).to.deep.equal({ code: 0, out: `ready\nfailed: ${DIED_TWICE}\nwaits\n` })
      expect(calls()).to.deep.equal(['deadly', 'deadly'])
    })
  itLong('a function that answers for the preconditions of a step is called twice', async () => {
    await lived('throw', 9, PRECONDITION)
    await lived('throw', 9)
    expect(await lived('throw', 9)).to.deep.equal({ code: 0, out: `ready\nfailed: ${DIED_TWICE}\nwaits\n` })
    expect(calls()).to.deep.equal(['deadly', 'deadly'])
  })
  for (const [what, spec] of [
    ['decides about another pass', LOOP],
    ['is asked for a page of items', PAGES]
  ] as const)
    itLong(`a function that ${what} is called twice`, async () => {
      await lived('throw', 9, spec)
      await lived('throw', 9)
      expect(await lived('throw', 9)).to.deep.equal({ code: 0, out: `ready\nfailed: ${DIED_TWICE}\nwaits\n` })
      expect(calls()).to.deep.equal(['deadly', 'deadly'])
    })
  itLong('an executor of the host is begun twice, whatever retryPolicy says', async () => {
    await lived('abort', 9, EXECUTOR)
    await lived('abort', 9)
    expect(await lived('abort', 9)).to.deep.equal({ code: 0, out: `ready\nfailed: ${DIED_TWICE}\nwaits\n` })
    expect(calls()).to.deep.equal(['killer', 'killer'])
  })
  it('an item of a step with `each` is called twice; a retry by hand calls it again, and none that has succeeded', async () => {
    await lived('exit', 2, EACH)
    await lived('exit', 2)
    expect(await lived('exit', 2)).to.deep.equal({ code: 0, out: `ready\nfailed: ${DIED_TWICE}\nwaits\n` })
    expect(calls()).to.deep.equal(['item 2', 'item 2'])
    const again: unknown[] = []
    const item = defineFunction({ name: 'item', params: z.any() }, (call) => {
      again.push(Object(call).item)
      return 'tame'
    })
    const engine = await createEngine({ home, functions: [item] })
    const key = { name: 'shop', dagRunId: 'r' }
    const [reason] = (await engine.facts.explain(key, 'a')).reasons
    expect([reason?.cause, reason?.text]).to.deep.equal(['interrupted', `a is not begun again: ${DIED_TWICE}`])
    await engine.retry(key)
    const { run, nodes } = await engine.result(key)
    await engine.close()
    expect([run.status, nodes[0]?.node.output, again]).to.deep.equal(['succeeded', '["1","tame","tame"]', [2, 3]])
  })
})
