/** API keys as a client of the API has them. */
import { request } from 'node:http'
import type { LiveApi } from './live-api.ts'

/** Who may do everything, and has the token for that. */
export const OPS = { Authorization: 'Bearer secret-ops' }
export const OPS_SETTINGS = { 'auth.tokens': [{ name: 'ops', value: 'secret-ops' }] }

export const bearer = (text: string) => ({ Authorization: `Bearer ${text}` })

/** Makes a key and expects that it is made. @returns its text */
export async function made(api: Pick<LiveApi, 'call'>, body: object, headers: Record<string, string> = OPS) {
  const { status, json, text } = await api.call('POST', '/access/keys', { body, headers })
  if (status !== 201) throw new Error(`the key was answered with ${status}: ${text}`)
  return String(json.key)
}

/** A stream of all events. */
export interface Stream {
  status: number
  /** Resolves when the server has ended it. */
  ended: Promise<void>
  close(): void
}

/** Opens the stream of all events; resolves when it has begun, or was refused. */
export const streamOf = (port: number, headers: Record<string, string>, query = ''): Promise<Stream> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: `/api/v2/events${query}`, headers }, (response) => {
      const ended = new Promise<void>((over) => response.once('close', over))
      response.on('error', () => {}) // it may break off
      response.resume()
      resolve({ status: response.statusCode ?? 0, ended, close: () => sent.destroy() })
    })
    sent.on('error', reject)
    sent.end()
  })
