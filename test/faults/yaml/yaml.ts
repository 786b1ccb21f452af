/** `fuzz-yaml`: random and hostile definitions; each is read in bounded time or refused with its problems, and no process dies. Source: reliability T7. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { ofAll } from '../../support/long.ts'
import { type Random, seeded } from '../../support/random.ts'
import { startEngine } from '../engine-process.ts'
import { newHome, removeHome } from '../home.ts'
import { Findings, type Suite } from '../suite.ts'
import type { Report, Wrong } from './yaml-child.ts'
import { hostileBytes, hostileText } from './yaml-texts.ts'

const child = fileURLToPath(new URL('./yaml-child.js', import.meta.url))
/** Texts that one process reads. */
const CHUNK = 1_000
/** One text of so many goes to a real server, too. */
const POSTED = 10
/** A reader that needs more at a time runs out of memory. */
const MOST_HEAP_MIB = 384
/** A reader that never ends is as bad as one that dies. */
const CHUNK_LIMIT_MS = 240_000
const PLANTED_LIMIT_MS = 15_000

export const yaml: Suite = {
  name: 'fuzz-yaml',
  promises: ['P19', 'P21', 'P22'],
  small: ofAll(150, 400),
  full: 50_000,
  plants: {
    'hands a text to the parser unseen': 400,
    'takes its time': 3,
    'refuses without a reason': 20,
    'keeps memory for each text': 50
  },
  async run({ seed, size, plant }) {
    const findings = new Findings()
    const counts: Record<string, number> = { read: 0, refused: 0, slowestMs: 0, grownMiB: 0, keptMiB: 0, posted: 0 }
    for (let done = 0; done < size; done += CHUNK) {
      const chunk = Math.min(CHUNK, size - done)
      const report = await readInChild(seed * 100_003 + done, chunk, plant, findings)
      counts.read = (counts.read ?? 0) + (report?.read ?? 0)
      counts.refused = (counts.refused ?? 0) + (report?.refused ?? 0)
      counts.slowestMs = Math.max(counts.slowestMs ?? 0, report?.slowestMs ?? 0)
      counts.grownMiB = Math.max(counts.grownMiB ?? 0, report?.grownMiB ?? 0)
      counts.keptMiB = Math.max(counts.keptMiB ?? 0, report?.keptMiB ?? 0)
    }
    if (plant === undefined) counts.posted = await postAll(seeded(seed), Math.ceil(size / POSTED), findings)
    return { rounds: size, counts, found: findings.found }
  }
}

async function readInChild(
  seed: number,
  count: number,
  plant: string | undefined,
  findings: Findings
): Promise<Report | undefined> {
  const reader = spawn(
    process.execPath,
    [
      '--expose-gc',
      `--max-old-space-size=${MOST_HEAP_MIB}`,
      child,
      String(seed),
      String(count),
      ...(plant ? [plant] : [])
    ],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: plant ? PLANTED_LIMIT_MS : CHUNK_LIMIT_MS
    }
  )
  let out = ''
  reader.stdout.on('data', (bytes) => {
    out += bytes
    // A planted bug is found once.
    if (plant && out.includes('\n')) reader.kill()
  })
  const [code, signal] = await once(reader, 'close')
  const lines = out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Wrong | Report)
  for (const line of lines) if ('promise' in line) findings.add(line.promise, line.what)
  const isEnough = plant !== undefined && lines.length > 0
  if (code !== 0 && !isEnough) findings.add('P22', `the reader of seed ${seed} ended with ${signal ?? code}`)
  return lines.find((line) => 'read' in line)
}

/** Sends texts to a server as clients do. @returns how many */
async function postAll(random: Random, count: number, findings: Findings): Promise<number> {
  const home = newHome()
  const engine = await startEngine({ home })
  for (let n = 0; n < count && !engine.gone; n++) {
    const isText = random.chance(0.7)
    const spec = hostileText(random)
    const name = `d${random.below(5)}`
    const [method, path, body] = random.pick<[string, string, string]>([
      ['POST', '/dags/validate', JSON.stringify({ spec })],
      ['POST', '/dags', JSON.stringify({ name, spec })],
      ['PUT', `/dags/${name}/spec`, JSON.stringify({ spec })],
      ['POST', '/dag-runs', JSON.stringify({ spec, dryRun: true, name })]
    ])
    const bytes = isText ? Buffer.from(body) : hostileBytes(random)
    const answer = await send(engine.port, method, path, bytes).catch((error: Error) => error)
    const what = `${method} ${path} of ${JSON.stringify(spec.slice(0, 80))}`
    if (answer instanceof Error) findings.check(!engine.gone, 'P22', `${what}: ${answer.message}`)
    else {
      findings.check(
        answer.status < 500,
        'P21',
        `${what} was answered with ${answer.status}: ${answer.text.slice(0, 200)}`
      )
      if (answer.status < 400) continue
      const hasReason = explained(answer.text)
      findings.check(
        hasReason,
        'P21',
        `${what} was refused with ${answer.status} and no reason: ${answer.text.slice(0, 200)}`
      )
    }
  }
  const { status } = await engine.call('GET', '/health').catch(() => ({ status: 0 }))
  findings.check(status === 200, 'P22', `after ${count} texts the server is not healthy: ${status}`)
  await engine.close()
  removeHome(home)
  return count
}

function explained(text: string): boolean {
  try {
    const { code, message } = JSON.parse(text)
    return typeof code === 'string' && typeof message === 'string' && message !== ''
  } catch {
    return false
  }
}

const send = (port: number, method: string, path: string, body: Buffer): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const sent = request({ host: '127.0.0.1', port, method, path: `/api/v2${path}`, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
