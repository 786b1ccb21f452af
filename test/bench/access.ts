/**
 * What the check of an API key, of roles and of rules costs each request: `node dist/test/bench/access.js [checks]`. 1,000 definitions, 50 rules, a run of each
 * of 100; the rights of the caller are looked up, the definition or run is found, its role judged. Processor time, beside the limit, and how
 * much of it the engine takes to find what the path names, which the route would need as well.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mustBeAllowed } from '../../src/api/access/gate.ts'
import { sights } from '../../src/api/access/sight.ts'
import type { Principal } from '../../src/api/auth/principal.ts'
import { type Need, RUN, VIEW } from '../../src/api/contract/needs.ts'
import { createEngine } from '../../src/index.ts'

const CHECKS = Number(process.argv[2] ?? 100_000)
const MOST_US = 20
const DAGS = 1_000
const RUNS = 100

const rules = (list: (at: number) => object) =>
  Array.from({ length: 50 }, (_, at) => ({ who: ['everyone', 'token:ci'], may: 'runner', ...list(at) }))

async function measured(
  what: string,
  given: readonly object[],
  need: Need,
  params: (at: number) => Record<string, string>,
  looks: 'nothing' | 'run' | 'definitions'
) {
  const settings = {
    'auth.tokens': [{ name: 'ci', value: 'x' }],
    'access.roles': { everyone: 'none', 'token:ci': 'viewer' },
    'access.rules': given
  }
  const engine = await createEngine({ temporary: true, schedules: false, settings })
  try {
    const { dagsDir, access } = engine.config
    mkdirSync(dagsDir, { recursive: true })
    for (let at = 0; at < DAGS; at++) {
      const text = `group: g${at % 100}\ntags: [t${at % 50}, all]\nsteps: [{name: s, command: "true"}]\n`
      writeFileSync(join(dagsDir, `dag-${at}.yaml`), text)
    }
    for (let at = 0; at < RUNS; at++) {
      const key = await engine.start({ fileName: `dag-${at}`, dagRunId: 'r' })
      await engine.result(key)
    }
    const seen = sights(engine, access)
    const pass = async (checks: number): Promise<number> => {
      const before = process.cpuUsage()
      for (let at = 0; at < checks; at++) {
        // As for each request: the caller is a new object.
        const principal: Principal = { name: 'the token ci', permissions: ['read', 'run', 'write'], who: ['token:ci'] }
        // Of a request, only this is looked at.
        const ctx = { state: { principal } } as unknown as Parameters<typeof mustBeAllowed>[1] & { state: object }
        await seen(ctx, () => mustBeAllowed(engine, ctx, need, params(at), false))
      }
      const { user, system } = process.cpuUsage(before)
      return (user + system) / checks
    }
    /** The same look-ups without a check. */
    const bare = async (checks: number): Promise<number> => {
      const before = process.cpuUsage()
      for (let at = 0; at < checks; at++) {
        const { name, dagRunId = '' } = params(at)
        if (looks !== 'run') await engine.definitionsReady()
        if (looks !== 'run') engine.definitions()
        if (name !== undefined && given.length > 0) engine.record({ name, dagRunId })
      }
      const { user, system } = process.cpuUsage(before)
      return looks === 'nothing' ? 0 : (user + system) / checks
    }
    await pass(CHECKS / 10)
    await bare(CHECKS / 10)
    const [found, whole] = [await bare(CHECKS), await pass(CHECKS)]
    const own = `${(whole - found).toFixed(1)} us (at most ${MOST_US} us)`
    console.log(`${what.padEnd(42)} ${own}, and ${found.toFixed(1)} us until the engine has found what it is about`)
  } finally {
    await engine.close()
  }
}

const dag = (at: number) => ({ fileName: `dag-${at % DAGS}` })
const run = (at: number) => ({ name: `dag-${at % RUNS}`, dagRunId: 'r' })
const byName = rules((at) => ({ dags: [at === 49 ? 'dag-*' : `other-${at}-*`] }))
const byText = rules((at) => (at % 2 === 0 ? { groups: [`g${at}`] } : { tags: [at === 49 ? 'all' : `t${at}`] }))
/** An API key that was seen before: no hash is computed. */
async function knownKey(): Promise<void> {
  const engine = await createEngine({ temporary: true })
  try {
    const { text } = await engine.keys.make({ name: 'ci', role: 'viewer', rules: [], by: 'the bench' })
    await engine.keys.keyOf(text, (work) => work())
    const pass = (checks: number): number => {
      const before = process.cpuUsage()
      for (let at = 0; at < checks; at++) engine.keys.keyOf(text, (work) => work())
      const { user, system } = process.cpuUsage(before)
      return (user + system) / checks
    }
    pass(CHECKS / 10)
    console.log(`${'a known API key'.padEnd(42)} ${pass(CHECKS).toFixed(1)} us (at most ${MOST_US} us)`)
  } finally {
    await engine.close()
  }
}

await knownKey()
await measured('a server role, no rules', [], VIEW, dag, 'nothing')
await measured('a definition, 50 rules by name', byName, RUN, dag, 'definitions')
await measured('a definition, 50 rules by group and tag', byText, RUN, dag, 'definitions')
await measured('a run, 50 rules by name', byName, RUN, run, 'run')
await measured('a run, 50 rules by group and tag', byText, RUN, run, 'definitions')
