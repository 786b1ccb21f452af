/** A server with few open files answers, however many clients there are. Source: reliability P17, P20. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { PROGRAM } from '../../../support/cli/program.ts'
import { temporaryFolder } from '../../../support/homes.ts'
import { eventually } from '../../../support/waiting.ts'

describe('P20, D1626 256 open files and 200 clients', () => {
  for (const [what, text] of [
    ['that say nothing', ''],
    ['that follow events', 'GET /api/v2/events HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['that have had an answer', 'GET /api/v2/health HTTP/1.1\r\nHost: a\r\n\r\n']
  ] as const)
    it(`${what}: health answers, and a run is executed`, async () => {
      const folder = temporaryFolder()
      const env = { PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh', ENGINE_HOME: folder }
      const argv = ['--nofile=256:256', process.execPath, PROGRAM, 'start-all', '--json', '--port', '0']
      const server = spawn('prlimit', argv, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
      const sockets: Socket[] = []
      try {
        let [out, err] = ['', '']
        server.stdout.on('data', (part) => {
          out += part
        })
        server.stderr.on('data', (part) => {
          err += part
        })
        const line = await eventually('a server', () => (out.endsWith('\n') ? out : undefined))
        const { address } = JSON.parse(line) as { address: string }
        for (let count = 0; count < 200; count++) {
          const socket = connect(Number(new URL(address).port), '127.0.0.1')
          sockets.push(socket)
          socket.on('error', () => {}).resume()
          await once(socket, 'connect')
          if (text !== '') socket.write(text)
        }
        expect((await fetch(`${address}/api/v2/health`)).status, err).to.equal(200)
        const body = JSON.stringify({ spec: 'name: a\nsteps: [echo hi]\n' })
        const started = await fetch(`${address}/api/v2/dag-runs`, { method: 'POST', body })
        expect(started.status).to.equal(200)
        await eventually('its end', async () => {
          const answer = await fetch(`${address}/api/v2/dag-runs/a/latest`)
          const { dagRun } = (await answer.json()) as { dagRun: { statusLabel: string } }
          return dagRun.statusLabel === 'succeeded' || undefined
        })
        expect(err).not.to.match(/EMFILE|ENFILE|damaged/)
      } finally {
        for (const socket of sockets) socket.destroy()
        const ended = once(server, 'exit')
        server.kill('SIGTERM')
        await ended
      }
    })
})
