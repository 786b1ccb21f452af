/** `fault-secrets`: known values in every field; then they are searched in everything that is stored, shown or sent. Source: reliability T12. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createPlainServer } from 'node:net'
import { join } from 'node:path'
import { launcherFolder } from '../../../src/executors/launcher/launcher-folder.ts'
import { type Random, seeded } from '../../support/random.ts'
import { eventually } from '../../support/waiting.ts'
import { type Canary, newCanary, seenBelow } from '../canary.ts'
import { type EngineProcess, startEngine } from '../engine-process.ts'
import { newHome, removeHome } from '../home.ts'
import { Findings, type Suite } from '../suite.ts'
import { definitionOf, type Field, type Places, secretFields } from './secret-fields.ts'

/** Fields of a definition. */
const FIELDS = 13
const END_MS = 60_000
const LOOK_MS = 20

/** Steps that show a value on purpose: what a careless engine would do. */
const PLANTS: Record<string, Record<string, unknown>> = {
  'writes a value beside its store': { command: 'echo "$T" >"$ENGINE_HOME_OF_TEST/data/careless"' },
  'logs a value in another form': { command: 'printf %s "$T" | base64 -w 0' },
  'gives a value to a program on its command line': { command: 'sh -c "sleep 1; true" sh "$T"' }
}

export const secrets: Suite = {
  name: 'fault-secrets',
  promises: ['P23'],
  small: 3,
  full: 30,
  plants: Object.fromEntries(Object.keys(PLANTS).map((plant) => [plant, 1])),
  async run({ seed, size, plant }) {
    const random = seeded(seed)
    const findings = new Findings()
    const counts: Record<string, number> = {}
    const [places, close] = await openPlaces()
    let deck: Field[] = []
    for (let round = 0; round < size; round++) {
      if (deck.length === 0) deck = inOrder(random, secretFields(places))
      const planted = plant && PLANTS[plant]
      const fields = planted ? [{ name: 'planted', step: { name: 'planted', ...planted } }] : deck.splice(0, FIELDS)
      await once(random, round % 2 === 1, fields, places, findings, counts)
    }
    close()
    return { rounds: size, counts, found: findings.found }
  }
}

/** In any order; what depends on another, and that, come first and together. */
function inOrder(random: Random, fields: Field[]): Field[] {
  const isBound = ({ name, step: { depends } }: Field) => name === 'output' || depends !== undefined
  return [...fields.filter(isBound), ...random.shuffled(fields.filter((field) => !isBound(field)))]
}

async function once(
  random: Random,
  odd: boolean,
  fields: Field[],
  places: Places,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  const home = newHome()
  const outside = newHome() // where a step may write what it likes
  const canaries = [newCanary(random, odd), newCanary(random, odd)]
  const [T, F] = canaries
  writeFileSync(join(outside, 'canary.pem'), `${F?.value}\n`)
  mkdirSync(join(home, 'dags'), { recursive: true })
  const engine = await startEngine({ home, settings: { debug: true } }, { CANARY: T?.value ?? '' })
  const count = (name: string, more = 1) => {
    counts[name] = (counts[name] ?? 0) + more
  }
  /** Searches both values. @param place named in the finding */
  const look = (bytes: Buffer | string, place: string) => {
    count('looks')
    for (const canary of canaries)
      for (const form of canary.seenIn(Buffer.from(bytes))) findings.add('P23', `${place} has a secret as ${form}`)
  }
  try {
    const spec = definitionOf(outside, fields, places.closed).replaceAll('$ENGINE_HOME_OF_TEST', home)
    const accepted = await engine.call('POST', '/dag-runs', { spec, name: 'canary', dagRunId: 'r1' })
    if (accepted.status !== 200) throw new Error(`the definition was refused: ${accepted.text}`)
    // Another run, which has no secrets, looks around as far as it can.
    const nosy =
      'env; tr "\\0" "\\n" </proc/$PPID/environ; sleep 0.5; for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; done 2>/dev/null'
    const other = await engine.call('POST', '/dag-runs', {
      spec: JSON.stringify({ steps: [{ name: 'nosy', command: nosy }] }),
      name: 'nosy',
      dagRunId: 'n1'
    })
    if (other.status !== 200) throw new Error(`the other definition was refused: ${other.text}`)
    await eventually(
      'the end of the run',
      async () => {
        lookAtTitles(look)
        const { json } = await engine.call('GET', '/dag-runs/canary/r1')
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
        return json?.dagRun?.finishedAt ? true : undefined
      },
      END_MS
    )
    await lookAtAnswers(engine, fields, look)
    lookAtFiles(home, canaries, findings, 'while the engine is open')
    count('fields', fields.length)
  } finally {
    await engine.close()
  }
  look(engine.log(), 'the log of the engine')
  lookAtFiles(home, canaries, findings, 'when it is closed')
  removeHome(home)
  removeHome(outside)
}

/** Command lines of all processes there are. The harness has none of the values on its own. */
function lookAtTitles(look: (bytes: Buffer, place: string) => void): void {
  for (const entry of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      look(readFileSync(`/proc/${entry}/cmdline`), 'the command line of a process')
    } catch {
      // It has ended.
    }
  }
}

async function lookAtAnswers(
  engine: EngineProcess,
  fields: Field[],
  look: (text: string, place: string) => void
): Promise<void> {
  const run = '/dag-runs/canary/r1'
  const steps = [...fields.map(({ name }) => name), 'onFailure', 'onExit']
  const paths = [
    '/dag-runs',
    '/dags',
    '/queues',
    run,
    `${run}/log`,
    `${run}/outputs`,
    `${run}/spec`,
    `${run}/sub-dag-runs`,
    ...steps.flatMap((name) => ['stdout', 'stderr'].map((stream) => `${run}/steps/${name}/log?stream=${stream}`)),
    ...steps.map((name) => `${run}/steps/${name}/values`),
    ...['stdout', 'stderr'].map((stream) => `/dag-runs/nosy/n1/steps/nosy/log?stream=${stream}`),
    `${run}/events?follow=false`
  ]
  for (const path of paths) look((await engine.call('GET', path)).text, `the answer to GET ${path}`)
  const { json } = await engine.call('GET', `${run}/sub-dag-runs`)
  for (const { dagRunId } of json?.subRuns ?? [])
    look((await engine.call('GET', `${run}/sub-dag-runs/${dagRunId}`)).text, 'the answer to GET a sub DAG run')
}

function lookAtFiles(home: string, canaries: Canary[], findings: Findings, when: string): void {
  for (const folder of [home, launcherFolder(join(home, 'data'))])
    for (const canary of canaries)
      for (const seen of seenBelow(folder, canary))
        findings.add('P23', `${when}: ${seen.replaceAll(/[0-9a-f-]{36}/g, '*')}`)
}

/** A server that answers with what it is sent, and a port that refuses. */
async function openPlaces(): Promise<[Places, () => void]> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      // As it is: what a server makes of a value is its own affair.
      response.end([decodeURIComponent(request.url ?? ''), ...request.rawHeaders, body].join('\n'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const refusing = createPlainServer()
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
  const closed = (refusing.address() as AddressInfo).port
  refusing.close()
  return [{ echo: (server.address() as AddressInfo).port, closed }, () => void server.close()]
}
