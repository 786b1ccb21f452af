/** API keys, for the command line of the user who owns the home: they may give everything. Source: docs/cli.md "API keys". */
import type { AccessKey, Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { userName } from '../../platform/user-name.ts'
import { newKeyOf, type WantedKey } from '../routes/access/new-key.ts'

export interface KeyClient {
  all(): Promise<AccessKey[]>
  /** The text is in this answer alone. @throws TroupeError as `newKeyOf` and `KeyRing.make` */
  make(wanted: WantedKey): Promise<{ key: AccessKey; text: string }>
  /** @throws TroupeError as `KeyRing.revoke` */
  revoke(name: string): Promise<AccessKey>
}

/** What is sent over the socket: the other side is the same program. */
export type KeyQuestion = { ask: 'all' } | { ask: 'make'; wanted: WantedKey } | { ask: 'revoke'; name: string }

export function keyClientOf(engine: Pick<Engine, 'keys' | 'now'>): KeyClient {
  const by = () => `${userName() ?? 'somebody'} on the command line`
  return {
    all: async () => engine.keys.all(),
    make: async (wanted) => engine.keys.make(newKeyOf(wanted, { by: by(), now: engine.now() })),
    revoke: (name) => engine.keys.revoke(name, by())
  }
}

export function answerKeys(question: KeyQuestion, client: KeyClient): Promise<unknown> {
  if (question.ask === 'all') return client.all()
  if (question.ask === 'make') return client.make(question.wanted)
  if (question.ask === 'revoke') return client.revoke(question.name)
  throw new TroupeError('bad_request', 'ask: wanted all, make or revoke')
}
