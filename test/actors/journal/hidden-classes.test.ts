/**
 * V8 (of Node 20) gives an object made by a spread a hidden class without transitions: each member that is added to it creates a new
 * class, which costs 0.4 microseconds and some garbage that only a full collection frees. Source: performance 2; D59.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { isKnownV8 } from '../../../src/cli/program/serving-flags.ts'
import { itLong, ofAll } from '../../support/long.ts'

const ENGINE = new URL('../../../lib/index.mjs', import.meta.url)
const RUNS = ofAll(12, 100)
/** Of an actor's options, and of an abort signal. */
const OTHERS = /^(systemId|syncSnapshot|src|parent|input|id|symbol\(.*)$/
const GIVEN = 'const given = { name: 1 };'

/** One step each, one after another. */
const runsOf = (count: number) => `
  const { createEngine } = await import(${JSON.stringify(ENGINE)})
  const engine = await createEngine({ temporary: true })
  for (let n = 0; n < ${count}; n++) await engine.result(await engine.start({ spec: 'name: small\\nsteps:\\n  - command: "true"\\n' }))
  await engine.close()`

/** Other releases of V8 may differ: this was not measured there. */
const known = isKnownV8 ? it : it.skip
const knownLong = isKnownV8 ? itLong : it.skip

describe('actors › hidden classes', () => {
  /** How often a program adds a member to such an object, not counting XState and Node. */
  async function forgotten(program: string): Promise<number> {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-maps-'))
    try {
      const log = join(folder, 'log')
      const flags = ['--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`, '--input-type=module']
      await promisify(execFile)(process.execPath, [...flags, '-e', program])
      const members = Array.from(
        readFileSync(log, 'latin1').matchAll(/^map,Transition,.*,prototype,(.*)$/gm),
        ([, member = '']) => member
      )
      return members.filter((member) => !OTHERS.test(member)).length
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  knownLong('a member that is added to a copy is counted: one that is written before the copy is not', async () => {
    const nothing = await forgotten('')
    const after = await forgotten(`${GIVEN} for (let n = 0; n < 500; n++) ({ ...given, added: n })`)
    const before = await forgotten(`${GIVEN} for (let n = 0; n < 500; n++) ({ added: n, ...given })`)
    expect(after - nothing).to.be.at.least(450)
    expect(before - nothing).to.be.at.most(10)
  })

  known('a run of one step adds few members to copies', async () => {
    const few = await forgotten(runsOf(RUNS))
    const many = await forgotten(runsOf(2 * RUNS))
    expect((many - few) / RUNS).to.be.at.most(6)
  })
})
