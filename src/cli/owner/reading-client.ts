/** The client of an engine in this process that reads a home. */
import { engineClientOf } from '../../api/owner/engine-client.ts'
import { trustedCalls } from '../../api/owner/trusted-api.ts'
import type { Engine } from '../../engine/engine.ts'
import type { OpenClient } from './opened.ts'
import { apiBy } from './owned-api.ts'

export function readingClientOf(engine: Engine): OpenClient {
  const client = engineClientOf(engine)
  return {
    ...client,
    here: true,
    isElsewhere: false,
    api: apiBy(trustedCalls(engine), client),
    unneeded: async () => {},
    close: () => engine.close()
  }
}
