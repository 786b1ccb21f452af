/**
 * What the types of definitions cost a host: `make bench-types`. Three programs are compiled in turn, as users compile theirs: one that only
 * imports the package, one with 50 definitions of 20 steps, one with a definition of 500 steps. Each step takes params and results.
 * Printed is what the compiler needs beyond the first program; processor time, with all its threads.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'
import { median } from '../figures.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const DAGS = 50
const STEPS = 20
const LONG = 500
const LIMIT_MS = 2_000
const compiler = join(PROJECT, 'node_modules/typescript/bin/tsc')

const HEAD = `import { createEngine, defineDag } from 'troupe'\nimport { z } from 'zod'\n`
/** Each step has the results of the two steps before it. */
function dag(name: string, steps: number): string {
  const lines = Array.from({ length: steps }, (_, i) => {
    const above = [i - 2, i - 1].filter((n) => n >= 0)
    const sum = above.map((n) => ` + results.step${n}.n`).join('')
    const options = `{ depends: [${above.map((n) => `s${n}`).join(', ')}], retryPolicy: { limit: 2 } }`
    return `  const s${i} = d.step('step${i}', ${options}, ({ params, results, log }) => ({ n: params.n${sum}, text: \`\${typeof log}\${typeof results}\` }))`
  })
  const fields = `{ name: '${name}', params: z.object({ n: z.number(), note: z.string().optional() }) }`
  return `export const ${name} = defineDag(${fields}, (d) => {\n${lines.join('\n')}\n  return s${steps - 1}\n})\n`
}
function use(names: readonly string[]): string {
  const lines = names.map((name) => `(await (await engine.start(${name}, { n: 1 })).result()).n`)
  return `const engine = await createEngine({ dags: [${names.join(', ')}] })\nexport const all: number[] = [${lines.join(', ')}]\n`
}
const many = Array.from({ length: DAGS }, (_, n) => `dag${n}`)
const PROGRAMS = {
  empty: `${HEAD}${use([])}void [defineDag, z]\n`,
  many: `${HEAD}${many.map((name) => dag(name, STEPS)).join('')}${use(many)}`,
  long: `${HEAD}${dag('long', LONG)}${use(['long'])}`
}
type Program = keyof typeof PROGRAMS

const folder = temporaryFolder()
mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
symlinkSync(PROJECT, join(folder, 'node_modules', 'troupe'))
for (const name of ['zod', '@types/node'])
  symlinkSync(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name))
writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
for (const [name, text] of Object.entries(PROGRAMS)) {
  writeFileSync(join(folder, `${name}.ts`), text)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node']
  }
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
}

/** Processor time of the compiler, ms. @throws Error when it does not compile */
function compiled(name: Program): number {
  const command = `"${process.execPath}" "${compiler}" -p ${name}.json && times`
  const { status, stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8', cwd: folder })
  if (status !== 0) throw new Error(`${name}.ts: ${stdout}`)
  // The shell itself, then its children: user and system, such as `0m0.812s 0m0.100s`.
  const spent = stdout.trim().split('\n').at(-1) ?? ''
  return [...spent.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + (Number(m) * 60 + Number(s)) * 1_000,
    0
  )
}

const found: Record<Program, number[]> = { empty: [], many: [], long: [] }
for (let round = 0; round < ROUNDS; round++)
  for (const name of Object.keys(found) as Program[]) found[name].push(compiled(name)) // its own names
const empty = median(found.empty)
const row = (what: string, name: Program) =>
  console.log(`${what.padEnd(36)} ${Math.round(median(found[name]) - empty)} ms more (at most ${LIMIT_MS} ms)`)
console.log(`${'a host without definitions'.padEnd(36)} ${Math.round(empty)} ms of processor time`)
row(`${DAGS} definitions of ${STEPS} steps`, 'many')
row(`one definition of ${LONG} steps`, 'long')
