/** The caller who shows an API key: as long as the key counts, the same object. Source: docs/authentication.md "API keys". */
import { type AccessRule, PERMISSIONS } from '../../config.ts'
import type { GoodKey, KeyRing } from '../../engine/engine.ts'
import type { Principal } from './principal.ts'

const known = new WeakMap<GoodKey, Principal>()

// D1444
export function principalOfKey(key: GoodKey, keys: Pick<KeyRing, 'whileGood'>): Principal {
  const found = known.get(key)
  if (found) return found
  const { name, role, expiresAt } = key
  const who = [`key:${name}`]
  const principal: Principal = {
    name: `the key ${name}`,
    key: `key ${name}`,
    permissions: PERMISSIONS,
    who,
    role,
    roleFrom: `the key ${name}`,
    rules: key.rules.map((rule, at): AccessRule => ({ ...rule, who, where: `rules[${at}] of the key ${name}` })),
    ...(expiresAt === undefined ? {} : { goodUntil: expiresAt }),
    whileGood: (end) => keys.whileGood(key, end)
  }
  known.set(key, principal)
  return principal
}
