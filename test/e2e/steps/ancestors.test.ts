/** What a step finds in the processes above it. Source: execution-semantics 3.5; reliability P23; docs/secrets.md. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { logIn, openPlacing } from '../../support/cli/placing.ts'
import { program, runningServer } from '../../support/cli/program.ts'
import { textOf } from '../../support/engine/live.ts'
import { canary } from '../../support/engine/secret-scene.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { needsNats } from '../../support/nats.ts'
import { eventually } from '../../support/waiting.ts'

const token = canary()
/** Also a variable that the engine knows nothing of. */
const ENVIRONMENT = { ENGINE_AUTH_TOKEN: token, DEPLOY_TOKEN: token }
/** Pid, command line and environment of each process above the shell that executes it. */
const UPWARD = `
  p=$$
  while [ "\${p:-0}" -gt 0 ]; do
    echo "process $p"
    tr '\\0' '\\n' <"/proc/$p/cmdline" || true
    tr '\\0' '\\n' <"/proc/$p/environ" || true
    p=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$p/status")
  done 2>/dev/null`
const spec = (seen: string, more = '') =>
  `${more}\nsteps:\n  - name: look\n    command: |\n${`${UPWARD}`.replaceAll('\n', '\n      ')}\n    stdout: ${seen}\n`
const CHILD = fileURLToPath(new URL('../../support/engine/engine-child.js', import.meta.url))

/** @param pid of the engine */
function expectNothing(seen: string, pid: number | undefined): void {
  const processes = [...seen.matchAll(/^process (\d+)$/gm)].map(([, found]) => Number(found))
  expect(processes.length).to.be.greaterThan(1)
  expect(processes).to.include(1).and.not.include(pid)
  expect(seen).to.not.contain(token)
}

describe('P23 no process above a step has the environment of the engine', () => {
  const scene = () => {
    const folder = temporaryFolder()
    const seen = join(folder, 'seen')
    const file = join(folder, 'looks.yaml')
    writeFileSync(file, spec(seen, 'name: looks'))
    return { folder, seen, file }
  }

  it('of a server', async () => {
    const { seen, file } = scene()
    const server = await runningServer(ENVIRONMENT)
    const start = program(server.folder, { ENGINE_HOME: server.folder }, 'start', file)
    expect(await start.code, start.written.err).to.equal(0)
    expectNothing(textOf(seen), server.child.pid)
    await server.end()
  })

  itLong('of a command that executes a run itself', async () => {
    const { folder, seen, file } = scene()
    const start = program(folder, { ENGINE_HOME: folder, ...ENVIRONMENT }, 'start', file)
    expect(await start.code, start.written.err).to.equal(0)
    expectNothing(textOf(seen), start.child.pid)
  })

  itLong('of a host application', async () => {
    const { folder, seen, file } = scene()
    const env = { PATH: process.env.PATH, HOME: folder, ...ENVIRONMENT }
    const child = spawn(process.execPath, [CHILD, folder, file, 'r1'], { env, stdio: 'ignore' })
    try {
      await eventually('the last process', () => (textOf(seen).includes('\nprocess 1\n') ? true : undefined))
      expectNothing(textOf(seen), child.pid)
    } finally {
      child.kill('SIGKILL')
    }
  })

  describe('of a worker', function () {
    this.timeout(60_000)
    needsNats()
    it('whose steps are looked at', async () => {
      const placing = await openPlacing()
      try {
        const worker = placing.worker('wa', ['-l', 'zone=a'], ENVIRONMENT)
        await placing.healthy('wa')
        const id = await placing.start(spec('seen', 'name: looks\nworkerSelector: {zone: a}'))
        expectNothing(logIn((await placing.ended('looks', id)).nodes[0]?.stdout), worker.child.pid)
      } finally {
        await placing.close()
      }
    })
  })
})
