/** The client of an engine in this process that reads a home. */
import { engineClientOf } from '../../api/owner/engine-client.ts'
import { trustedCalls } from '../../api/owner/trusted-api.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import type { OpenClient } from './opened.ts'
import { apiBy } from './owned-api.ts'

export function readingClientOf(engine: Engine): OpenClient {
  const client = engineClientOf(engine)
  return {
    ...client,
    here: true,
    isElsewhere: false,
    api: apiBy(trustedCalls(engine), client),
    follow: () => Promise.reject(new TroupeError('bad_request', 'no engine is there: the run does not continue')),
    unneeded: async () => {},
    close: () => engine.close()
  }
}
