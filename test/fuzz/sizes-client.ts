/** The thread that asks: it sends each request and asks for `/health` meanwhile, so that nothing of its own holds up the server. */
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { mainThreadMs } from '../support/processor-time.ts'
import type { Measured, Sent } from './slow.ts'

const { port, health } = workerData as { port: number; health: string }
const agent = new Agent({ keepAlive: true })
/** Between two questions, ms. */
const PAUSE_MS = 5
const GIVE_UP_MS = 60_000

const send = ({ method, path, headers, body }: Sent, through?: Agent): Promise<number> =>
  new Promise((resolve) => {
    const asked = request({
      port,
      host: '127.0.0.1',
      method,
      path,
      headers,
      timeout: GIVE_UP_MS,
      ...(through ? { agent: through } : {})
    })
    asked.on('response', (answer) => answer.on('end', () => resolve(answer.statusCode ?? 0)).resume())
    asked.on('timeout', () => asked.destroy()).on('error', () => resolve(0))
    asked.end(body)
  })

/** Asks until it is called off. @returns how long the server's thread has computed for others before an answer, at most, ms */
function watch(): () => Promise<number> {
  let isOver = false
  let longest = 0
  const asking = (async () => {
    while (!isOver) {
      const before = mainThreadMs()
      await send({ method: 'GET', path: health, headers: {}, body: undefined }, agent)
      longest = Math.max(longest, mainThreadMs() - before)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  })()
  return async () => {
    isOver = true
    await asking
    return longest
  }
}

parentPort?.on('message', async ({ sent, times }: { sent: Sent; times: number }) => {
  const end = watch()
  const beganAt = performance.now()
  const statuses = await Promise.all(Array.from({ length: times }, () => send(sent)))
  const ms = performance.now() - beganAt
  const measured: Measured = { statuses, ms: Math.round(ms), healthMs: Math.round(await end()) }
  parentPort?.postMessage(measured)
})
