/** Bodies that a host application has read before it passes the request on, as Express and Fastify do. Source: embedding 2.10. */
import type { IncomingMessage } from 'node:http'
import { TroupeError } from '../../errors.ts'

const bodies = new WeakMap<IncomingMessage, unknown>()

/** Remembers what the host has made of the body; undefined: nothing. */
export function wasReadBefore(req: IncomingMessage, body: unknown): void {
  if (body !== undefined) bodies.set(req, body)
}

// D1092: a body that was read before counts when somebody has read it
/**
 * The bytes of a body that has been read by others; undefined: nobody has, so that the request still has it.
 * @throws TroupeError internal_error: it has been read, and nothing of it was left
 */
export function bytesReadBefore(req: IncomingMessage): Buffer | undefined {
  if (!req.readableDidRead) return undefined // also where a parser has put an empty `body` on a request that it did not read
  const body = bodies.get(req)
  if (Buffer.isBuffer(body)) return body
  if (typeof body === 'string') return Buffer.from(body)
  if (body !== undefined) return Buffer.from(JSON.stringify(body) ?? '')
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers
  if (encoding === undefined && Number(length) === 0) return Buffer.alloc(0)
  throw new TroupeError(
    'internal_error',
    'request body: the application that this is part of has read it, and left nothing of it in req.body'
  )
}
