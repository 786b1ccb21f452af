/** An API key as JSON. Source: docs/http-api.md "Access". */
import type { AccessKey } from '../../../engine/engine.ts'
import type { Shape } from '../../../schema/schema.ts'
import type { ApiKey } from '../../contract/access/key-shapes.ts'
import type { TimeText } from '../time-text.ts'

export function keyShape(key: AccessKey, time: TimeText): Shape<typeof ApiKey> {
  const { id, name, role, rules, status, createdAt, createdBy, expiresAt, revokedAt, revokedBy = '', lastUsedAt } = key
  return {
    id,
    name,
    role,
    status,
    createdBy,
    revokedBy,
    rules: rules.map(({ may, dags, groups, tags }) => ({
      may,
      ...(dags ? { dags: [...dags] } : {}),
      ...(groups ? { groups: [...groups] } : {}),
      ...(tags ? { tags: [...tags] } : {})
    })),
    createdAt: time(createdAt),
    expiresAt: time(expiresAt),
    revokedAt: time(revokedAt),
    lastUsedAt: time(lastUsedAt)
  }
}
