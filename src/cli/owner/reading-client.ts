/** The client of an engine in this process that reads a home. */
import { engineClientOf } from '../../api/owner/engine-client.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import type { OpenClient } from './opened.ts'
import { ownApi } from './owned-api.ts'

export function readingClientOf(engine: Engine): OpenClient {
  return {
    ...engineClientOf(engine),
    ...ownApi(engine),
    here: true,
    isElsewhere: false,
    follow: () => Promise.reject(new TroupeError('bad_request', 'no engine is there: the run does not continue')),
    unneeded: async () => {},
    close: () => engine.close()
  }
}
