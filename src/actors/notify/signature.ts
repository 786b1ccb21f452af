/** Signatures of requests: Standard Webhooks 1.0, HMAC-SHA256. Source: docs/notifications.md "Verify it". */
import { createHmac } from 'node:crypto'

/** The bytes of a secret: what follows `whsec_` is Base64; any other text counts as it is. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)

/** Header lines of one attempt. @param at epoch ms @param secrets each signs; without one there is no signature */
export function signedHeaders(
  id: string,
  at: number,
  body: string,
  secrets: readonly string[]
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000))
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 ? { 'webhook-signature': signatures.join(' ') } : {})
  }
}
