/** A request to the socket of a home that is answered for as long as its owner listens: so another process is told of its end. */
import { request, type ServerResponse } from 'node:http'

export const HELD = '/local/held'

/** The answers of an owner. */
export function heldAnswers() {
  const all = new Set<ServerResponse>()
  let isOver = false
  return {
    hold(response: ServerResponse): void {
      all.add(response)
      response.once('close', () => all.delete(response))
      response.writeHead(200)
      response.flushHeaders()
      if (isOver) response.end()
    },
    endAll(): void {
      isOver = true
      for (const response of all) response.end()
    }
  }
}

/** Resolves when the process behind a socket has ended, or will soon; at once when there is none, or one of an earlier release. */
export const untilLeft = (socketPath: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const sent = request({ socketPath, path: HELD, agent: false, signal }, (response) => {
      response.resume().once('close', resolve)
    })
    sent.once('error', () => resolve())
    sent.end()
  })
