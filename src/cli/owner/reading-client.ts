/** The client of an engine in this process that reads a home. */
import { createServer } from 'node:http'
import { connectTo } from '../../api/mount/in-memory.ts'
import { engineClientOf } from '../../api/owner/engine-client.ts'
import { trustedApi } from '../../api/owner/trusted-api.ts'
import type { Engine } from '../../engine/engine.ts'
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
    unneeded: async () => {},
    close: () => engine.close()
  }
}
