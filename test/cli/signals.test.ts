/** What signals do to the program that serves. Source: docs/cli.md "Signals"; api-semantics 9.3; execution-semantics 7.3.11. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { program, type RunningServer, runningServer } from '../support/cli/program.ts'
import { temporaryFolder } from '../support/homes.ts'
import { listening } from '../support/listening.ts'
import { eventually } from '../support/waiting.ts'

const isReached = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

const health = async ({ address }: RunningServer) => (await fetch(`${address}/api/v2/health`)).status
const pidOf = ({ child }: Pick<RunningServer, 'child'>) => child.pid ?? 0

describe('troupe › signals to a server', () => {
  it('SIGUSR1 opens no debugger; SIGUSR2, SIGHUP, SIGPIPE, SIGWINCH, SIGCONT and SIGXFSZ do not end it; the log says what came', async () => {
    const server = await runningServer()
    const before = listening(pidOf(server))
    for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGHUP', 'SIGPIPE', 'SIGWINCH', 'SIGCONT', 'SIGXFSZ'] as const)
      server.child.kill(signal)
    await eventually('three lines', () =>
      server.written.err.match(/nothing to be done/g)?.length === 3 ? true : undefined
    )
    expect(await health(server)).to.equal(200)
    expect(listening(pidOf(server))).to.deep.equal(before)
    expect(server.written.err).to.not.contain('Debugger')
    for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGHUP'])
      expect(server.written.err).to.contain(`INFO ${signal}: nothing to be done; SIGTERM ends this process`)
    await server.end()
    expect(server.child.exitCode).to.equal(0)
  })

  it('a debugger that SIGUSR1 has opened before the program had begun is closed', async () => {
    const folder = temporaryFolder()
    const early = join(folder, 'early.cjs')
    // Port 0: another test may have one.
    writeFileSync(
      early,
      "process.debugPort = 0; process.kill(process.pid, 'SIGUSR1'); while (!require('node:inspector').url());\n"
    )
    const server = await runningServer({ NODE_OPTIONS: `--require ${early}` }, { folder })
    const [, port = ''] = await eventually(
      'a debugger',
      () => /Debugger listening on ws:\S+?:(\d+)\//.exec(server.written.err) ?? undefined
    )
    await eventually('the warning', () => (server.written.err.includes('had opened a debugger') ? true : undefined))
    expect(await isReached(Number(port))).to.equal(false)
    expect(await health(server)).to.equal(200)
    await server.end()
  })
})

describe('troupe › signals to a command that runs a workflow', () => {
  it('SIGUSR1 opens no debugger, and the run goes on', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'dags'))
    writeFileSync(
      join(folder, 'dags', 'f.yaml'),
      `steps:\n  - touch ${folder}/begun; while [ ! -e ${folder}/go ]; do sleep 0.02; done\n`
    )
    const { child, code, written } = program(folder, { ENGINE_HOME: folder }, 'start', 'f')
    await eventually('the step', () => (existsSync(join(folder, 'begun')) ? true : undefined))
    child.kill('SIGUSR1')
    writeFileSync(join(folder, 'go'), '')
    expect(await code).to.equal(0)
    expect(written.err).to.not.contain('Debugger')
  })
})
