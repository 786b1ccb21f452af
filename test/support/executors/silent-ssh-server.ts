/** An ssh server inside the test that takes commands, and neither confirms nor executes them. */
import { once } from 'node:events'
import ssh2 from 'ssh2'
import { privateKey } from './ssh-keys.ts'

export interface SilentServer {
  /** Of an ssh step. */
  target: { user: string; host: string; port: string; password: string; strictHostKey: boolean }
  /** What it was sent, in this order. */
  commands: string[]
  close(): void
}

export async function silentServer(): Promise<SilentServer> {
  const commands: string[] = []
  const server = new ssh2.Server({ hostKeys: [privateKey()] }, (client) => {
    client.on('error', () => {}) // a client that goes away
    client.on('authentication', (login) => (login.method === 'password' ? login.accept() : login.reject(['password'])))
    client.on('session', (accept) => accept().on('exec', (_accept, _reject, { command }) => commands.push(command)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = String(typeof address === 'object' && address ? address.port : 0)
  return {
    target: { user: 'u', host: '127.0.0.1', port, password: 'open sesame', strictHostKey: false },
    commands,
    close: () => server.close()
  }
}
