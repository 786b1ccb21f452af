/** The client of an engine in this process that reads a home. */
import { createServer } from 'node:http'
import { connectTo } from '../../api/mount/in-memory.ts'
import { engineClientOf } from '../../api/owner/engine-client.ts'
import { trustedApi } from '../../api/owner/trusted-api.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import type { OpenClient } from './opened.ts'
import { apiOver } from './over-node.ts'

export function readingClientOf(engine: Engine): OpenClient {
  const client = engineClientOf(engine)
  const server = createServer(trustedApi(engine))
  return {
    ...client,
    here: true,
    isElsewhere: false,
    api: apiOver(client, { createConnection: () => connectTo(server).near }),
    follow: () => Promise.reject(new TroupeError('bad_request', 'no engine is there: the run does not continue')),
    unneeded: async () => {},
    close: () => engine.close()
  }
}
