/** The API keys of a home: made, listed, revoked, and whose text is this. Source: docs/authentication.md "API keys". */
import { createHash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { isRole, type RuleContent } from '../../config.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import type { Store } from '../../store/open.ts'
import type { StoredKey } from '../../store/stored.ts'
import { keepKeys, keysIn } from '../../store/tables/access-keys.ts'
import { fits, hashOf, idIn, newKeyText } from './key-text.ts'
import type { AccessKey, CredentialEnd, GoodKey, KeyRing } from './key-types.ts'
import { keyUses } from './key-uses.ts'

/** Keys that count at the same time. */
const MOST_KEYS = 1_000
/** A key that counts no more is listed so long. */
const REMEMBERED_MS = 90 * 24 * 3_600_000

interface Entry {
  good: GoodKey
  stored: StoredKey
}

export interface KeyRingParts {
  store: Store
  clock: Clock
  /** Logs that the last use of keys could not be stored. */
  warn: (text: string) => void
  /** Refuses changes of a home that is gone. @throws TroupeError */
  check: () => void
}

/** For the owner of the home, once: what one door revokes must end at all of them. `close` writes when keys were last used. */
export function openKeyRing({ store, clock, warn, check }: KeyRingParts): KeyRing & { close(): Promise<void> } {
  let loaded: Map<string, Entry> | undefined
  /** Texts that have fitted, by digest; their keys count. */
  const known = new Map<string, Entry>()
  /** Texts that are being looked at, so that many requests with one of them wait for one hash. */
  const looking = new Map<string, Promise<Entry | undefined>>()
  const ends = new Map<string, Set<(why: CredentialEnd) => void>>()
  /** Keys by name that were revoked here, which could not be stored. */
  const unstored = new Map<string, Entry>()
  /** Names of keys that are being made. */
  const making = new Set<string>()
  const uses = keyUses(clock, store, warn)

  // A home without keys never reads them.
  const entries = () => (loaded ??= new Map(keysIn(store).flatMap(({ id, key }) => entryOf(id, key))))
  const counts = ({ stored }: Entry) => statusOf(stored, clock.now()) === 'active'
  const named = (name: string) => [...entries().values()].find((one) => one.good.name === name && counts(one))

  const shown = (entry: Entry): AccessKey => {
    const { createdAt, createdBy, revokedAt, revokedBy } = entry.stored
    const lastUsedAt = uses.lastOf(entry.good.id) ?? entry.stored.lastUsedAt
    return {
      ...entry.good,
      createdAt,
      createdBy,
      status: statusOf(entry.stored, clock.now()),
      ...(revokedAt === undefined ? {} : { revokedAt }),
      ...(revokedBy === undefined ? {} : { revokedBy }),
      ...(lastUsedAt === undefined ? {} : { lastUsedAt })
    }
  }

  async function kept(changes: ReadonlyMap<string, StoredKey | undefined>, otherwise: string): Promise<void> {
    try {
      await keepKeys(store, changes)
    } catch (cause) {
      throw new TroupeError('service_unavailable', `${otherwise}: ${messageOf(cause)}`, { cause })
    }
  }

  /** Keys that nobody looks for any more. */
  function forgotten(): Map<string, undefined> {
    const before = clock.now() - REMEMBERED_MS
    const old = [...entries()].filter(([, { stored }]) => (stored.revokedAt ?? stored.expiresAt ?? before) < before)
    return new Map(old.map(([id]) => [id, undefined]))
  }

  async function lookedAt(entry: Entry, text: string, digest: string): Promise<Entry | undefined> {
    if (!(await fits(text, entry.stored.hash)) || !counts(entry)) return undefined
    known.set(digest, entry)
    return entry
  }

  function used(entry: Entry): GoodKey | undefined {
    if (!counts(entry)) return undefined // it has expired
    uses.note(entry.good.id, entry)
    return entry.good
  }

  return {
    all: () =>
      [...entries().values()]
        .map(shown)
        .sort((a, b) => Number(b.status === 'active') - Number(a.status === 'active') || b.createdAt - a.createdAt),
    async make({ name, role, rules, expiresAt, by }) {
      check()
      const all = entries()
      if (named(name) || making.has(name))
        throw new TroupeError('already_exists', `there is a key named ${name}: choose another name, or revoke it first`)
      if ([...all.values()].filter(counts).length + making.size >= MOST_KEYS)
        throw new TroupeError('bad_request', `wanted at most ${MOST_KEYS} keys, and there are so many: revoke some`)
      making.add(name)
      try {
        const { id, text } = newKeyText()
        const hash = await hashOf(text)
        const stored: StoredKey = {
          name,
          role,
          rules: [...rules],
          createdAt: clock.now(),
          createdBy: by,
          hash,
          ...(expiresAt === undefined ? {} : { expiresAt })
        }
        const old = forgotten()
        await kept(new Map([...old, [id, stored]]), 'the key cannot be stored, and does not count')
        for (const one of old.keys()) all.delete(one)
        const [[, entry] = []] = entryOf(id, stored)
        if (!entry) throw new Error('wanted a key as it is stored')
        all.set(id, entry)
        return { key: shown(entry), text }
      } finally {
        making.delete(name)
      }
    },
    async revoke(name, by) {
      const entry = named(name) ?? unstored.get(name)
      if (!entry) throw new TroupeError('not_found', `there is no active key named ${name}`)
      const { id } = entry.good
      const lastUsedAt = uses.lastOf(id) ?? entry.stored.lastUsedAt
      entry.stored = {
        ...entry.stored,
        revokedAt: entry.stored.revokedAt ?? clock.now(),
        revokedBy: by,
        ...(lastUsedAt === undefined ? {} : { lastUsedAt })
      }
      for (const [digest, one] of known) if (one === entry) known.delete(digest)
      for (const end of ends.get(id) ?? []) end('revoked')
      unstored.delete(name)
      const otherwise = `${name} lets nobody in now, but will after a restart: revoke it again`
      await kept(new Map([[id, entry.stored]]), otherwise).catch((error) => {
        unstored.set(name, entry)
        throw error
      })
      return shown(entry)
    },
    keyOf(text, inTurn) {
      const id = idIn(text)
      if (id === undefined) return undefined
      // The digest of a secret of 256 bits says nothing about it, nor does the time of finding it.
      const digest = createHash('sha256').update(text).digest('base64')
      const entry = known.get(digest)
      if (entry) return used(entry)
      const found = entries().get(id)
      if (!found || !counts(found)) return undefined
      const look =
        looking.get(digest) ?? inTurn(() => lookedAt(found, text, digest)).finally(() => looking.delete(digest))
      looking.set(digest, look)
      return look.then((one) => one && used(one))
    },
    whileGood({ id, expiresAt }, end) {
      const all = ends.get(id) ?? new Set()
      ends.set(id, all.add(end))
      const cancel = expiresAt === undefined ? () => {} : clock.at(expiresAt, () => end('expired'))
      // The key may have been revoked since it was looked at.
      if (entries().get(id)?.stored.revokedAt !== undefined) clock.soon(() => end('revoked'))
      return () => {
        cancel()
        all.delete(end)
        if (all.size === 0 && ends.get(id) === all) ends.delete(id)
      }
    },
    close: () => uses.close()
  }
}

/** For a reader: another process may own the home, so nothing is remembered. */
export function readKeys(store: Store, clock: Clock, refuse: () => never): KeyRing {
  const shown = (good: GoodKey, { hash: _, ...stored }: StoredKey): AccessKey => ({
    ...stored,
    ...good,
    status: statusOf(stored, clock.now())
  })
  const all = () => keysIn(store).flatMap(({ id, key }) => entryOf(id, key))
  return {
    all: () => all().map(([, { good, stored }]) => shown(good, stored)),
    make: async () => refuse(),
    revoke: async () => refuse(),
    async keyOf(text, inTurn) {
      const id = idIn(text)
      const entry = all().find(([one]) => one === id)?.[1]
      if (!entry || statusOf(entry.stored, clock.now()) !== 'active') return undefined
      return (await inTurn(() => fits(text, entry.stored.hash))) ? entry.good : undefined
    },
    whileGood: () => () => {}
  }
}

function statusOf({ revokedAt, expiresAt }: Pick<StoredKey, 'revokedAt' | 'expiresAt'>, now: number) {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active'
}

/** None for an entry whose role this release does not know: it lets nobody in. */
function entryOf(id: string, stored: StoredKey): [id: string, Entry][] {
  const { name, role, expiresAt } = stored
  const rules = stored.rules.filter((rule): rule is RuleContent => isRole(rule.may) && rule.may !== 'admin')
  if (!isRole(role) || rules.length < stored.rules.length) return []
  return [[id, { good: { id, name, role, rules, ...(expiresAt === undefined ? {} : { expiresAt }) }, stored }]]
}
