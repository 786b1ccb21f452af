/**
 * `make bench`: Troupe beside Dagu, in turn, on the same machine in one invocation, over the same API with one client.
 * Every question gets a fresh server in a fresh home. Not part of `make check`. See README.md.
 */
import { ask } from './asking.ts'
import { dagu, type Engine, findDagu, troupe } from './engines.ts'
import { leaveNothingBehind } from './leaving.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { questions } from './questions/index.ts'
import { hostProbe, type StartCost } from './step/host.ts'
import { measureStep, STEP, type StepFigures } from './step/step.ts'
import type { StepCost } from './tables/costs.ts'
import { report } from './tables/report.ts'
import { rowsOf, type Sample } from './tables/table.ts'

async function enginesFor({ peerOnly, dagu: path }: Options): Promise<Engine[]> {
  const own = peerOnly ? [] : [troupe()]
  return path === 'none' ? own : [...own, dagu(await findDagu(path))]
}

/** What measures the host; without a C compiler it is said that nothing does. */
async function hostMeasure(): Promise<() => Promise<StartCost[]>> {
  return hostProbe().catch((cause) => {
    console.error(`what a start costs on this host is not measured: ${cause instanceof Error ? cause.message : cause}`)
    return () => Promise.resolve([])
  })
}

async function main(options: Options): Promise<void> {
  const { rounds, scale } = options
  const engines = await enginesFor(options)
  const isWanted = (name: string) => options.only.length === 0 || options.only.includes(name)
  const chosen = questions.filter(({ name }) => isWanted(name))
  const measureHost = await hostMeasure()
  const hosts: StartCost[][] = []
  const samples: Sample[] = []
  const costs: StepCost[] = []
  const failures: string[] = []
  const versions: Partial<Record<Engine['name'], string>> = Object.fromEntries(engines.map(({ name }) => [name, '?']))
  const attempted = async (what: string, work: () => Promise<void>) => {
    console.error(what)
    await work().catch((cause) => failures.push(`${what}: ${cause instanceof Error ? cause.message : cause}`))
  }
  for (let round = 1; round <= rounds; round++) {
    let host: StartCost[] = []
    await attempted(`round ${round} of ${rounds}: this host`, async () => {
      host = await measureHost()
    })
    hosts.push(host)
    for (const question of chosen) {
      // The order alternates, so that caches that the first one has filled favour neither.
      for (const engine of round % 2 ? engines : engines.toReversed()) {
        if (question.ownOnly && engine.name !== 'Troupe') continue
        const whose = { question: question.name, engine: engine.name, round }
        await attempted(`round ${round} of ${rounds}: ${question.name}, ${engine.name}`, async () => {
          const { version, answers, cost } = await ask(engine, question, scale, host)
          versions[engine.name] = version
          samples.push(...answers.map((answer) => ({ ...answer, ...whose })))
          if (cost) costs.push({ ...cost, ...whose })
        })
      }
    }
  }
  let step: StepFigures | undefined
  if (isWanted(STEP) && !options.peerOnly)
    await attempted(STEP, async () => {
      step = await measureStep(rounds, scale)
    })
  report(options, { versions, rows: rowsOf(samples), hosts, costs, ...(step ? { step } : {}), failures })
  if (failures.length > 0) process.exitCode = 1
}

leaveNothingBehind()
try {
  await main(readOptions(process.argv.slice(2), process.env, [...questions.map(({ name }) => name), STEP]))
} catch (cause) {
  console.error(`Error: ${cause instanceof Error ? cause.message : cause}\n${USAGE}`)
  process.exitCode = 1
}
