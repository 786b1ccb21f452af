/** API keys of a server elsewhere, over its HTTP API. Source: docs/http-api.md "Access". */
import type { KeyClient } from '../../api/owner/key-client.ts'
import type { ApiKey, Client } from '../../client/index.ts'
import { isRole, type RuleContent } from '../../config.ts'
import type { AccessKey } from '../../engine/engine.ts'
import { instant } from './views.ts'

export const remoteKeys = (api: Client): KeyClient => ({
  all: async () => (await api.listKeys()).keys.map(keyOf),
  async make({ name, role, rules, expires }) {
    const { key: text, ...key } = await api.createKey({
      body: {
        // The server says what is wrong with them.
        name,
        role: role as AccessKey['role'],
        rules: rules as Record<string, unknown>[],
        ...(expires === undefined ? {} : { expires })
      }
    })
    return { key: keyOf(key), text }
  },
  revoke: async (keyName) => keyOf(await api.revokeKey({ path: { keyName } }))
})

function keyOf({ role, rules, createdAt, expiresAt, revokedAt, revokedBy, lastUsedAt, ...key }: ApiKey): AccessKey {
  const at = { expiresAt: instant(expiresAt), revokedAt: instant(revokedAt), lastUsedAt: instant(lastUsedAt) }
  return {
    ...key,
    role: isRole(role) ? role : 'none',
    rules: rules as RuleContent[], // as the server has checked them
    createdAt: instant(createdAt) ?? 0,
    ...(at.expiresAt === undefined ? {} : { expiresAt: at.expiresAt }),
    ...(at.revokedAt === undefined ? {} : { revokedAt: at.revokedAt }),
    ...(revokedBy === '' ? {} : { revokedBy }),
    ...(at.lastUsedAt === undefined ? {} : { lastUsedAt: at.lastUsedAt })
  }
}
