/** Do 500 clients that begin a request and never end it slow down one that does? */
import { connect } from 'node:net'
import { type Question, scaled } from '../question.ts'
import { readOften } from '../read-often.ts'

const SLOW_CLIENTS = 500

export const halfOpen: Question = {
  name: 'half-open',
  definitions: () => ({ one: 'steps:\n  - name: s1\n    command: "true"\n' }),
  async ask({ client, port }, scale) {
    const alone = await readOften(client, 'GET /dags, alone', '/dags')
    const sockets = await Promise.all(Array.from({ length: scaled(SLOW_CLIENTS, scale) }, () => halfOpenAt(port)))
    try {
      return [...alone, ...(await readOften(client, `... beside ${sockets.length} half-open`, '/dags'))]
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** A connection with the beginning of a request. It may be closed by the server at any time. */
const halfOpenAt = (port: number) =>
  new Promise<ReturnType<typeof connect>>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('POST /api/v2/dag-runs HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', () => resolve(socket))
    )
    socket.once('error', reject)
    socket.on('error', () => {})
  })
