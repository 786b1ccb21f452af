/** A real nginx on loopback, for tests of what stands behind one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../homes.ts'
import { eventually } from '../waiting.ts'

const PATH = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`

/** Skips the tests of a `describe`, to be seen, where the program is missing: `apt-get install nginx`. */
export function needsNginx(): void {
  before(function () {
    if (spawnSync('nginx', ['-v'], { env: { PATH } }).status !== 0) this.skip()
  })
}

export interface Nginx {
  port: number
  /** Ends it and waits for that. */
  end(): Promise<void>
}

/** One process, with all that it writes in a folder of its own. @param lines of the `location` that passes everything on to `address` */
export async function nginxBefore(address: string, lines: string): Promise<Nginx> {
  const folder = temporaryFolder()
  const port = await freePort()
  mkdirSync(join(folder, 'temp'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/temp/${kind};`
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  ${temporary.join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${address};
${lines}
    }
  }
}
`
  )
  const words = ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')]
  const child = spawn('nginx', words, { env: { PATH }, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = endOf(child)
  await eventually('nginx', async () => {
    if (child.exitCode !== null) throw new Error(`nginx has ended: ${await ended}`)
    return (await listens(port)) || undefined
  })
  return {
    port,
    async end() {
      child.kill('SIGTERM')
      await ended
    }
  }
}

/** What it said, once it has ended. */
function endOf(child: ChildProcess): Promise<string> {
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return new Promise((resolve) => child.once('close', () => resolve(said)))
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })
