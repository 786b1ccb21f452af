/**
 * `make bench`: Troupe beside Dagu, in turn, on the same machine in one invocation, over the same API with one client.
 * Every question gets a fresh server in a fresh home. Not part of `make check`. See README.md.
 */
import { availableParallelism } from 'node:os'
import { dagu, type Engine, findDagu, troupe } from './engines.ts'
import { leaveNothingBehind } from './leaving.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import type { Answer, Question } from './question.ts'
import { questions } from './questions/index.ts'
import { startServer } from './server.ts'
import { printed, rowsOf, type Sample } from './table.ts'

async function enginesFor({ peerOnly, dagu: path }: Options): Promise<Engine[]> {
  const own = peerOnly ? [] : [troupe()]
  return path === 'none' ? own : [...own, dagu(await findDagu(path))]
}

/** Asks one engine one question. The processor time is an answer too: the one that other work on the machine disturbs least. */
async function ask(engine: Engine, question: Question, scale: number): Promise<{ version: string; answers: Answer[] }> {
  const server = await startServer(engine, question.definitions(scale), (place) =>
    Promise.resolve(question.prepare?.(place, scale))
  )
  try {
    const before = question.cpuSince === 'spawn' ? 0 : server.tree.cpuSeconds()
    const share = engine.name === 'Dagu' ? (question.peerShare ?? 1) : 1
    const answers = await question.ask(server, scale * share)
    const value = (server.tree.cpuSeconds() - before) / share
    return {
      version: server.version,
      answers: [...answers, { figure: 'CPU, all processes', unit: 's', better: 'less', value }]
    }
  } finally {
    server.end()
  }
}

async function main(options: Options): Promise<void> {
  const engines = await enginesFor(options)
  const chosen = questions.filter(({ name }) => options.only.length === 0 || options.only.includes(name))
  const samples: Sample[] = []
  const failures: string[] = []
  const versions: Partial<Record<Engine['name'], string>> = Object.fromEntries(engines.map(({ name }) => [name, '?']))
  for (let round = 1; round <= options.rounds; round++) {
    for (const question of chosen) {
      // The order alternates, so that caches that the first one has filled favour neither.
      for (const engine of round % 2 ? engines : engines.toReversed()) {
        if (question.ownOnly && engine.name !== 'Troupe') continue
        console.error(`round ${round} of ${options.rounds}: ${question.name}, ${engine.name}`)
        try {
          const { version, answers } = await ask(engine, question, options.scale)
          versions[engine.name] = version
          samples.push(...answers.map((answer) => ({ ...answer, question: question.name, engine: engine.name, round })))
        } catch (cause) {
          failures.push(
            `round ${round}, ${question.name}, ${engine.name}: ${cause instanceof Error ? cause.message : cause}`
          )
        }
      }
    }
  }
  const { rounds, scale } = options
  const rows = rowsOf(samples)
  if (options.json) {
    const machine = { node: process.version, cores: availableParallelism() }
    console.log(JSON.stringify({ machine, rounds, scale, versions, rows, failures }))
  } else {
    console.log(printed(rows, versions))
    console.log(`\nMedians of ${rounds} round(s) at scale ${scale}; ratios were taken within each round.`)
    if (engines.some(({ name }) => name === 'Dagu'))
      for (const { name, peerShare } of chosen)
        if (peerShare) console.log(`${name}: Dagu was asked for ${peerShare} of it; its processor time is counted up.`)
    for (const failure of failures) console.log(`FAILED ${failure}`)
  }
  if (failures.length > 0) process.exitCode = 1
}

leaveNothingBehind()
try {
  await main(
    readOptions(
      process.argv.slice(2),
      process.env,
      questions.map(({ name }) => name)
    )
  )
} catch (cause) {
  console.error(`Error: ${cause instanceof Error ? cause.message : cause}\n${USAGE}`)
  process.exitCode = 1
}
