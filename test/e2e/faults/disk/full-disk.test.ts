/** A disk that is really full. Source: reliability P6, P22. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runningServer } from '../../../support/cli/program.ts'
import { temporaryFolder } from '../../../support/homes.ts'
import { itLong } from '../../../support/long.ts'
import { eventually } from '../../../support/waiting.ts'

/** The longest file that the server may write: what is refused beyond is refused by the system itself, in LMDB's own thread. */
const fileSize = (pid: number | undefined, bytes: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])

interface Runs {
  dagRuns: { dagRunId: string; finishedAt?: string }[]
}
let count = 0
/** A different workflow each time. */
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
    const ready = await ask('/health/ready')
    expect([ready.status, await ready.json()]).to.deep.equal([
      503,
      { status: 'unready', reason: 'storage', error: 'nothing can be stored: the log says why' }
    ])
    expect((await ask('/health/live')).status, 'a restart would not help').to.equal(200)
    expect((await ask('/dag-runs')).status, 'reads go on').to.equal(200)
    fileSize(server.child.pid, 'unlimited')
    await eventually('a server that is healthy again', async () => ((await ask('/health')).ok ? true : undefined))
    await Promise.all(waiting)
    await eventually('the end of all runs', async () => {
      const { dagRuns } = (await (await ask('/dag-runs')).json()) as Runs
      const ended = new Set(dagRuns.flatMap(({ dagRunId, finishedAt }) => (finishedAt ? [dagRunId] : [])))
      return started.every((id) => ended.has(id)) || undefined
    })
    const said = server.written.err.split('\n').filter((line) => !line.includes(' INFO '))
    expect(
      said.filter((line) => line.includes('WARN runs wait, and nothing can be started reason="the store'))
    ).to.have.length(1)
    expect(said.filter((line) => line.includes('WARN the store is writable again: runs continue'))).to.have.length(1)
    expect(said.join('\n'), 'said once, in words').not.to.contain('write.js')
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

  describe('when there is no disk space for logs', () => {
    const mounted: string[] = []
    after(() => {
      for (const folder of mounted) execFileSync('umount', ['--lazy', folder])
    })

    /** A server whose logs lie on a small disk of their own, and what a run of two steps there comes to. */
    async function serverWithSmallLogs(test: Mocha.Context, options: string) {
      const logs = temporaryFolder()
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', logs], { stdio: 'pipe' })
      } catch {
        return test.skip() // only root may
      }
      mounted.push(logs)
      const server = await runningServer({ ENGINE_LOG_DIR: logs })
      const ask = (path: string, method = 'GET', body?: string) =>
        fetch(`${server.address}/api/v2${path}`, { method, ...(body === undefined ? {} : { body }) })
      const start = () => ask('/dag-runs', 'POST', JSON.stringify({ spec: TWO }))
      return {
        logs,
        server,
        ask,
        start,
        started: async () => ((await (await start()).json()) as { dagRunId: string }).dagRunId,
        details: async (id: string): Promise<Details> =>
          ((await (await ask(`/dag-runs/two/${id}`)).json()) as { dagRunDetails: Details }).dagRunDetails,
        unhealthy: () =>
          eventually('a server that is not healthy', async () => {
            const answer = await ask('/health')
            return answer.status === 503 ? answer.text() : undefined
          })
      }
    }
    interface Details {
      statusLabel: string
      finishedAt: string
      nodes: { statusLabel: string; error?: string; stdout: string }[]
    }
    const TWO = 'name: two\nsteps: [{name: first, command: echo first}, {name: second, command: echo second}]'

    /** Writes until the disk is full. */
    function fill(write: (count: number) => void): void {
      for (let count = 0; ; count++)
        try {
          write(count)
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).to.equal('ENOSPC')
          return
        }
    }
    const blocks = (logs: string) => fill(() => appendFileSync(join(logs, 'filling'), Buffer.alloc(4_096)))
    const entries = (logs: string) => {
      mkdirSync(join(logs, 'filling'))
      fill((count) => writeFileSync(join(logs, 'filling', String(count)), ''))
    }

    for (const [what, options, full] of [
      ['for the records of steps', 'size=256k', blocks],
      ['for folders', 'nr_inodes=100', entries]
    ] as const)
      it(`${what}: runs wait, the server says so, and they succeed when there is`, async function () {
        const { logs, server, ask, start, started, details, unhealthy } = await serverWithSmallLogs(this, options)
        full(logs)
        const id = await started()
        expect(await unhealthy()).to.contain('logs cannot be written: ENOSPC')
        expect((await start()).status).to.equal(503)
        expect((await details(id)).statusLabel).to.equal('running')
        rmSync(join(logs, 'filling'), { recursive: true })
        const ended = await eventually('the end of the run', async () => {
          const run = await details(id)
          return run.finishedAt ? run : undefined
        })
        expect(ended.statusLabel).to.equal('succeeded')
        expect(readFileSync(ended.nodes[1]?.stdout ?? '', 'utf8')).to.equal('second\n')
        expect((await ask('/health')).status).to.equal(200)
        await server.end()
      })

    it('a step that calls a sub workflow waits too, and is stopped like any other', async function () {
      const { logs, server, ask, details, unhealthy } = await serverWithSmallLogs(this, 'nr_inodes=60')
      const fill = `mkdir ${logs}/filling; n=0; while true >${logs}/filling/$n; do n=$((n+1)); done; true`
      const spec = `name: two\nsteps: [{name: fill, script: '${fill}'}, {name: call, call: kid}]\n---\nname: kid\nsteps: [echo hi]\n`
      const ending: Details[] = []
      for (const isStopped of [false, true]) {
        const body = JSON.stringify({ spec })
        const { dagRunId } = (await (await ask('/dag-runs', 'POST', body)).json()) as { dagRunId: string }
        expect(await unhealthy()).to.contain('logs cannot be written: ENOSPC')
        if (isStopped) expect((await ask(`/dag-runs/two/${dagRunId}/stop`, 'POST')).status).to.equal(200)
        else rmSync(join(logs, 'filling'), { recursive: true })
        ending.push(
          await eventually('the end of the run', async () => {
            const run = await details(dagRunId)
            return run.finishedAt ? run : undefined
          })
        )
      }
      expect(ending.map(({ statusLabel, nodes }) => [statusLabel, nodes[1]?.statusLabel])).to.deep.equal([
        ['succeeded', 'succeeded'],
        ['canceled', 'canceled']
      ])
      await server.end()
    })

    itLong('so does the result of its sub runs, of which nothing is lost', async function () {
      const { logs, server, ask, details, unhealthy } = await serverWithSmallLogs(this, 'size=256k')
      // The result is larger than what the script and the record of its process leave when they are removed.
      const fill = `printf %020000d 7; dd if=/dev/zero of=${logs}/filling bs=4096 2>/dev/null || true`
      const spec = `name: two\nsteps: [{name: call, call: kid}]\n---\nname: kid\nsteps: [{script: '${fill}', output: BIG}]\n`
      const ending: Details[] = []
      for (const isStopped of [false, true]) {
        const { dagRunId } = (await (await ask('/dag-runs', 'POST', JSON.stringify({ spec }))).json()) as {
          dagRunId: string
        }
        expect(await unhealthy()).to.contain('logs cannot be written: ENOSPC')
        if (isStopped) expect((await ask(`/dag-runs/two/${dagRunId}/stop`, 'POST')).status).to.equal(200)
        else rmSync(join(logs, 'filling'))
        ending.push(
          await eventually('the end of the run', async () => {
            const run = await details(dagRunId)
            return run.finishedAt ? run : undefined
          })
        )
      }
      expect(ending.map(({ statusLabel, nodes }) => [statusLabel, nodes[0]?.statusLabel])).to.deep.equal([
        ['succeeded', 'succeeded'],
        ['canceled', 'canceled']
      ])
      const result = readFileSync(ending[0]?.nodes[0]?.stdout ?? '', 'utf8')
      expect(JSON.parse(result).outputs.BIG).to.match(/^0{19999}7$/)
      await server.end()
    })

    itLong(
      'a server that is killed meanwhile: the next one waits, too, before it looks for the step',
      async function () {
        const { logs, server, started, unhealthy } = await serverWithSmallLogs(this, 'size=256k')
        blocks(logs)
        const id = await started()
        await unhealthy()
        server.child.kill('SIGKILL')
        await server.code
        const next = await runningServer({ ENGINE_LOG_DIR: logs }, { folder: server.folder })
        const details = async () => {
          const answer = await fetch(`${next.address}/api/v2/dag-runs/two/${id}`)
          return ((await answer.json()) as { dagRunDetails: Details }).dagRunDetails
        }
        await eventually('a server that waits', async () => {
          const { status } = await fetch(`${next.address}/api/v2/health`)
          return status === 503 || (await details()).finishedAt ? true : undefined
        })
        expect((await details()).nodes.map(({ statusLabel, error }) => [statusLabel, error])).to.deep.equal([
          ['running', ''],
          ['not_started', '']
        ])
        rmSync(join(logs, 'filling'))
        const ended = await eventually('the end of the run', async () => {
          const run = await details()
          return run.finishedAt ? run : undefined
        })
        expect(ended.statusLabel).to.equal('succeeded')
        await next.end()
      }
    )

    itLong('a run that waits for disk space is stopped like any other', async function () {
      const { logs, server, ask, started, details, unhealthy } = await serverWithSmallLogs(this, 'size=256k')
      blocks(logs)
      const id = await started()
      await unhealthy()
      expect((await ask(`/dag-runs/two/${id}/stop`, 'POST')).status).to.equal(200)
      const { statusLabel, nodes } = await eventually('the end of the run', async () => {
        const run = await details(id)
        return run.finishedAt ? run : undefined
      })
      const [first, second] = nodes
      expect([statusLabel, first?.statusLabel, first?.error]).to.deep.equal([
        'canceled',
        'canceled',
        'signal: terminated'
      ])
      expect(second?.statusLabel).to.equal('not_started')
      await server.end()
    })
  })
})
