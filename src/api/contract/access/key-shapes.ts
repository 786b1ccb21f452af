/** API keys. An addition: docs/http-api.md "Access". */
import { array, object, optional, text } from '../../../schema/schema.ts'
import { Time } from '../run-shapes.ts'

const patterns = array(text)

export const KeyRule = object(
  { may: text, dags: optional(patterns), groups: optional(patterns), tags: optional(patterns) },
  'A role for some definitions: `none`, `viewer`, `runner` or `editor`. Like a rule of `access.rules`, for this key.'
)

const ABOUT = {
  id: text,
  name: text,
  role: text,
  rules: array(KeyRule),
  status: { type: 'string', enum: ['active', 'expired', 'revoked'] },
  createdAt: Time,
  createdBy: text,
  expiresAt: { ...Time, description: `${Time.description} Empty: it counts until it is revoked.` },
  revokedAt: Time,
  revokedBy: text,
  lastUsedAt: { ...Time, description: 'Empty: it was never used. After a restart up to a minute too early.' }
} as const

export const ApiKey = object(ABOUT, 'An API key, without its text. Those that count no more are listed for 90 days.')

export const GivenApiKey = object(
  { ...ABOUT, key: { ...text, description: 'The key itself, which is a secret. The server does not keep it.' } },
  'An API key that was just made.'
)
