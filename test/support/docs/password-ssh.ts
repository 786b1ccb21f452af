/** An ssh server inside the test that takes one password and executes commands: the OpenSSH server of the tests takes keys only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import ssh2 from 'ssh2'
import { privateKey } from '../executors/ssh-keys.ts'

export interface PasswordServer {
  port: string
  /** Its line of a known_hosts file. */
  known: string
  close(): void
}

/** @param environment of its commands */
export async function passwordServer(
  user: string,
  password: string,
  environment: Record<string, string>
): Promise<PasswordServer> {
  const key = privateKey()
  const server = new ssh2.Server({ hostKeys: [key] }, (client) => {
    client.on('error', () => {}) // a client that goes away
    client.on('authentication', (login) => {
      const isRight = login.method === 'password' && login.username === user && login.password === password
      if (isRight) login.accept()
      else login.reject(['password'])
    })
    client.on('session', (accept) =>
      accept().on('exec', (take, _refuse, { command }) => {
        const channel = take()
        const child = spawn('sh', ['-c', command], { env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
        channel.pipe(child.stdin)
        child.stdout.on('data', (bytes: Buffer) => void channel.write(bytes))
        child.stderr.on('data', (bytes: Buffer) => void channel.stderr.write(bytes))
        child.on('close', (code) => {
          channel.exit(code ?? 1)
          channel.end()
        })
      })
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = String(typeof address === 'object' && address ? address.port : 0)
  const parsed = ssh2.utils.parseKey(key)
  if (parsed instanceof Error) throw parsed
  const known = `[127.0.0.1]:${port} ${parsed.type} ${parsed.getPublicSSH().toString('base64')}\n`
  return { port, known, close: () => server.close() }
}
