/**
 * Sends requests made of the OpenAPI document to real servers, and judges each answer. A round has an engine of its own, so that
 * what was accepted does not pile up. Source: reliability P21, P22, T8.
 */
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import fc from 'fast-check'
import { OPERATIONS } from '../../src/api/contract/operations.ts'
import { type CheckedAnswer, misfitsOf } from '../support/api/response-check.ts'
import type { StateDigest } from '../support/store/state-digest.ts'
import type { Plant } from './planted.ts'
import { type FuzzRequest, fuzzRequests } from './requests.ts'
import { type Sending, sender } from './send.ts'
import { GONE, MIRROR } from './texts.ts'
import { openWorld, type World } from './world.ts'

export interface FuzzOptions {
  requests: number
  seed: number
  /** Findings after which it ends. Default: 1. */
  most?: number
  plant?: Plant | undefined
  /** Told after each round how many requests are done. */
  progress?: (done: number) => void
}
export interface Finding {
  seed: number
  /** Place in the round of that seed. */
  at: number
  request: Omit<FuzzRequest, 'body'> & { body: string | undefined }
  status: number
  wrong: string[]
}
export interface FuzzReport {
  seed: number
  requests: number
  rounds: number
  /** Answers by status, with the code of an Error object. */
  answers: Record<string, number>
  /** Operations by how many were asked, and how many have had a success; and the ones that had none. */
  operations: { asked: number; succeeded: number; without: string[] }
  /** Time to an answer, its last byte included. */
  p99Ms: number
  findings: Finding[]
}

const ROUND = 500
const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** The server slows an address down after ten. */
const MOST_WRONG = 8
/** That of a remote node would lead to another definition here, or to none. */
const NO_LOCATION = 'header Location is missing'
/** Operations that are documented to answer 503. */
const UNAVAILABLE = new Set(
  Object.entries(OPERATIONS).flatMap(([id, operation]) =>
    'errors' in operation && operation.errors.some((code) => code === 'service_unavailable') ? [id] : []
  )
)

export async function fuzz({ requests, seed, most = 1, plant, progress }: FuzzOptions): Promise<FuzzReport> {
  const answers = new Map<string, number>()
  const asked = new Set<string>()
  const succeeded = new Set<string>()
  const findings: Finding[] = []
  const times: number[] = []
  let done = 0
  let rounds = 0
  while (done < requests && findings.length < most) {
    const world = await openWorld(plant)
    try {
      await round(world, seed + rounds, Math.min(ROUND, requests - done))
    } finally {
      await world.close()
    }
    rounds++
    progress?.(done)
  }
  return {
    seed,
    requests: done,
    rounds,
    answers: Object.fromEntries([...answers].sort()),
    operations: {
      asked: asked.size,
      succeeded: succeeded.size,
      without: [...asked].filter((id) => !succeeded.has(id)).sort()
    },
    p99Ms: Math.round(times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0),
    findings
  }

  async function round(world: World, seed: number, count: number): Promise<void> {
    const { send, close } = sender(world.port)
    const unrest = await world.settle()
    if (unrest !== undefined) throw new Error(`the first runs do not come to rest: ${unrest}`)
    let before = textOf(world)
    let wrong = 0
    try {
      for (const [at, drawn] of fc.sample(fuzzRequests(world.subRunIds), { numRuns: count, seed }).entries()) {
        const request =
          drawn.credentials === 'wrong' && ++wrong > MOST_WRONG ? { ...drawn, credentials: 'none' as const } : drawn
        const sentAt = performance.now()
        const answer = await send(sendingOf(world, request))
        times.push(performance.now() - sentAt)
        const problems = problemsOf(request, answer)
        const isAccepted =
          answer.status < 300 && (!READS.has(request.method) || request.operationId.startsWith('dequeueRun'))
        const unrest = isAccepted ? await world.settle() : undefined
        if (unrest !== undefined) problems.push(`does not come to rest: ${unrest}`)
        const now = textOf(world)
        if (!isAccepted && now !== before) problems.push(`changed: ${differences(before, now)}`)
        const faults = world.faults.splice(0).map((fault) => `fault: ${String(fault)}`)
        if (answer.status < 500 || problems.length > 0) problems.push(...faults)
        before = now
        done++
        note(request, answer)
        if (problems.length > 0) findings.push(findingOf(seed, at, request, answer, problems))
        if (findings.length >= most || unrest !== undefined) return
      }
      const { status } = await send({ method: 'GET', path: `${world.base.v2}/health`, headers: {}, body: undefined })
      if (status !== 200 || !(await world.isHealthy())) throw new Error(`seed ${seed}: the server is not healthy`)
      const files = [...readdirSync(world.home, { recursive: true }), ...readdirSync('.')].map((file) =>
        basename(String(file))
      )
      if (files.includes('mark')) throw new Error(`seed ${seed}: a parameter was run as a command`)
    } finally {
      close()
    }
  }

  function note({ operationId }: FuzzRequest, answer: CheckedAnswer): void {
    const told = answer.status < 400 ? String(answer.status) : `${answer.status} ${codeOf(answer)}`.trim()
    answers.set(told, (answers.get(told) ?? 0) + 1)
    asked.add(operationId)
    if (answer.status < 300) succeeded.add(operationId)
  }
}

const textOf = (world: World) => JSON.stringify(world.digest())

/** Databases, files and folders that are not as they were. */
function differences(before: string, now: string): string {
  const [was, is]: StateDigest[] = [JSON.parse(before), JSON.parse(now)]
  const flat = ({ store, definitions, suspended, logs }: StateDigest) => ({
    ...store,
    ...definitions,
    suspended: suspended.join(),
    logs: logs.join()
  })
  const [a, b]: Record<string, string>[] = [was, is].map((digest) => (digest ? flat(digest) : {}))
  return Object.keys({ ...a, ...b })
    .filter((key) => a?.[key] !== b?.[key])
    .join(', ')
}

function sendingOf(world: World, { version, method, path, query, headers, body, credentials }: FuzzRequest): Sending {
  return {
    method,
    path: world.base[version] + path + query,
    headers: { ...world.header(credentials), ...headers },
    body
  }
}

function problemsOf({ version, operationId, method, path, query }: FuzzRequest, answer: CheckedAnswer): string[] {
  const { status } = answer
  // The document has nothing of version 1: of its answers only Error objects can be judged.
  const place = version === 'v1' ? `/v1${path}` : path
  const node = new URLSearchParams(query).getAll('remoteNode').find((name) => name !== '')
  // What the server says of itself as a remote node is as documented; a failure there is one of a gateway here.
  const asked = node === MIRROR && status < 400 ? withoutNode(query) : query
  const expected = [
    ...(UNAVAILABLE.has(operationId) ? [503] : []),
    ...(node === GONE || (node === MIRROR && UNAVAILABLE.has(operationId)) ? [502] : [])
  ]
  return [
    ...(status >= 500 && !expected.includes(status) ? [`status ${status}`] : []),
    ...misfitsOf(method, place + asked, answer).filter((misfit) => !(node === MIRROR && misfit === NO_LOCATION))
  ]
}

function withoutNode(query: string): string {
  const left = new URLSearchParams(query)
  left.delete('remoteNode')
  return left.size > 0 ? `?${left}` : ''
}

const codeOf = ({ bytes }: CheckedAnswer): string => /"code":"(\w+)"/.exec(bytes.toString())?.[1] ?? ''

const findingOf = (
  seed: number,
  at: number,
  request: FuzzRequest,
  { status }: CheckedAnswer,
  wrong: string[]
): Finding => ({
  seed,
  at,
  request: { ...request, body: request.body?.toString() },
  status,
  wrong
})
