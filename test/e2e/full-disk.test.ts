/** A disk that is really full. Source: reliability P6, P22. */
import { execFileSync } from 'node:child_process'
import { openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { runningServer } from '../support/program.ts'
import { eventually } from '../support/waiting.ts'

/** The longest file that the server may write: what is refused beyond is refused by the system itself, in LMDB's own thread. */
const fileSize = (pid: number | undefined, bytes: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])

interface Runs {
  dagRuns: { dagRunId: string; finishedAt?: string }[]
}
let count = 0
/** A workflow of its own each time. */
const body = () => JSON.stringify({ spec: `name: hello-${++count}\nsteps: [echo hello]` })

describe('P6: full disk: runs stall and continue when space returns; writes answer 503', () => {
  it('when LMDB itself is refused: the server lives, says so, and goes on; nothing that was acknowledged is lost', async () => {
    const server = await runningServer()
    const ask = (path: string) => fetch(`${server.address}/api/v2${path}`)
    const start = () => fetch(`${server.address}/api/v2/dag-runs`, { method: 'POST', body: body() })
    expect((await start()).status).to.equal(200)
    fileSize(server.child.pid, statSync(join(server.folder, 'data/troupe.mdb')).size) // the write-ahead file is far from that
    const started: string[] = []
    const waiting: Promise<void>[] = []
    await eventually('a server that is not healthy', async () => {
      waiting.push(
        start().then(async (answer) => {
          if (answer.status === 200) started.push(((await answer.json()) as { dagRunId: string }).dagRunId)
        })
      )
      const { status } = await ask('/health')
      return status === 503 ? true : undefined
    })
    expect((await start()).status).to.equal(503)
    expect((await ask('/dag-runs')).status, 'reads go on').to.equal(200)
    fileSize(server.child.pid, 'unlimited')
    await eventually('a server that is healthy again', async () => ((await ask('/health')).ok ? true : undefined))
    await Promise.all(waiting)
    await eventually('the end of all runs', async () => {
      const { dagRuns } = (await (await ask('/dag-runs')).json()) as Runs
      const ended = new Set(dagRuns.flatMap(({ dagRunId, finishedAt }) => (finishedAt ? [dagRunId] : [])))
      return started.every((id) => ended.has(id)) || undefined
    })
    await server.end()
  })

  it('a log that cannot be written ends no server', async () => {
    const folder = temporaryFolder()
    const server = await runningServer({}, { folder, stderr: openSync('/dev/full', 'w') })
    for (let n = 0; n < 3; n++) {
      const answer = await fetch(`${server.address}/api/v2/dag-runs`, { method: 'POST', body: body() })
      expect(answer.status).to.equal(200)
    }
    server.child.kill('SIGTERM')
    expect(await server.code).to.equal(0)
  })
})
