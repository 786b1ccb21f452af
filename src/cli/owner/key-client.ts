/** API keys, asked over the owner's socket. */
import type { KeyClient, KeyQuestion } from '../../api/owner/key-client.ts'

/** @param ask gets the answer of `answerKeys` to a question */
export const keyClient = (ask: <T>(question: KeyQuestion) => Promise<T>): KeyClient => ({
  all: () => ask({ ask: 'all' }),
  make: (wanted) => ask({ ask: 'make', wanted }),
  revoke: (name) => ask({ ask: 'revoke', name })
})
