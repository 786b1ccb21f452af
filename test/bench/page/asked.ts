import type { Client } from '../client.ts'
import type { Server } from '../server.ts'
import type { Visitor } from './visitor.ts'

/** What a question of this bench gets: a server with its home, and a visitor in front of it. */
export interface Asked {
  server: Server
  client: Client
  visitor: Visitor
}
