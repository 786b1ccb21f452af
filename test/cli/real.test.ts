/** The program with a real engine, real processes and real signals. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { PROGRAM } from '../support/cli/program.ts'
import { temporaryFolder } from '../support/homes.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** A home with definitions in its working directory. */
function place(definitions: Record<string, string>) {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(definitions)) writeFileSync(join(folder, `${name}.yaml`), text)
  const troupe = (...argv: string[]) => {
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      SHELL: '/bin/sh',
      ENGINE_HOME: join(folder, 'home'),
      ENGINE_TZ: 'UTC'
    }
    const child = spawn(process.execPath, [PROGRAM, ...argv], { cwd: folder, env })
    children.push(child)
    const written = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (text) => {
      written.out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      written.err += text
    })
    const code = new Promise<number | null>((resolve) => child.on('close', resolve))
    return { child, written, code }
  }
  return { folder, troupe }
}

/** Waits for something another process does. */
async function until(what: string, holds: () => boolean): Promise<void> {
  for (const begun = performance.now(); !holds(); await wait(20))
    if (performance.now() - begun > 60_000) throw new Error(`waited 60 s for ${what}`)
}

describe('troupe with a real engine', () => {
  it('simultaneous commands on a new home are all answered, whichever of them owns it', async () => {
    const { troupe } = place({ flow: 'steps: ["true"]' })
    const commands = Array.from({ length: 6 }, () => troupe('enqueue', 'flow', '--json'))
    for (const { code, written } of commands) expect(await code, written.err).to.equal(0)
    const ids = new Set(commands.map(({ written }) => JSON.parse(written.out).dagRunId))
    expect(ids.size).to.equal(6)
  })

  it('start runs in the foreground, prints the step tree at the end, and exits as the run ended', async () => {
    const { troupe } = place({
      flow: 'steps:\n  - name: hello\n    command: echo "$1 and $K"\n  - name: bad\n    command: echo why >&2; exit 3\n'
    })
    const start = troupe('start', 'flow', '-r', 'r1', '--', 'one', 'K=two words')
    expect(await start.code).to.equal(1)
    expect(start.written.err).to.match(/├─ ✓ hello {2}succeeded/)
    expect(start.written.err).to.match(/└─ ✗ bad {4}failed .*\n {7}stderr: why\n/)
    const status = troupe('status', 'flow', '--json')
    expect(await status.code).to.equal(0)
    const run = JSON.parse(status.written.out)
    expect(run).to.include({ dagRunId: 'r1', statusLabel: 'failed', params: '1=one K=two words' })
    expect(readFileSync(run.nodes[0].stdout, 'utf8')).to.equal('one and two words\n')
    const again = troupe('start', 'flow', '-r', 'r1')
    expect(await again.code).to.equal(1)
    expect(again.written.err).to.match(/^Error: .*r1.*\n$/)
  })

  it('SIGINT stops the run gracefully: its step gets the signal, 130', async () => {
    const { folder, troupe } = place({
      flow: `steps:\n  - name: long\n    command: trap 'echo told > told; exit 0' TERM; echo ready > ready; while :; do sleep 0.05; done\n`
    })
    const start = troupe('start', 'flow')
    await until('the step', () => existsSync(join(folder, 'ready')))
    start.child.kill('SIGINT')
    expect(await start.code).to.equal(130)
    expect(start.written.err).to.contain('■ flow  canceled')
    expect(readFileSync(join(folder, 'told'), 'utf8')).to.equal('told\n')
  })

  it('a second start joins the engine of the first, which waits for it', async () => {
    const { folder, troupe } = place({
      first: 'steps:\n  - name: a\n    command: touch began; while [ ! -e first-may-end ]; do sleep 0.05; done\n',
      second:
        'steps:\n  - name: b\n    command: touch first-may-end; while [ ! -e second-may-end ]; do sleep 0.05; done\n'
    })
    const owner = troupe('start', 'first')
    await until('the first', () => existsSync(join(folder, 'began')))
    const client = troupe('start', 'second')
    await until('the owner to wait', () => owner.written.err.includes('waiting for second'))
    writeFileSync(join(folder, 'second-may-end'), '')
    expect(await client.code).to.equal(0)
    expect(await owner.code).to.equal(0)
    expect(client.written.err).to.contain('✓ second  succeeded')
  })

  it('start-all leaves running steps alive on SIGTERM; a client holds on, and the next engine ends the run', async () => {
    const { folder, troupe } = place({
      flow: 'steps:\n  - name: a\n    command: touch began; while [ ! -e may-end ]; do sleep 0.05; done\n  - name: b\n    command: echo done\n'
    })
    const first = troupe('start-all', '--port', '0', '--json')
    await until('the server', () => first.written.out.endsWith('\n'))
    const { address } = JSON.parse(first.written.out)
    expect(await health(address)).to.equal('healthy')
    const client = troupe('start', 'flow')
    await until('the step', () => existsSync(join(folder, 'began')))
    first.child.kill('SIGTERM')
    expect(await first.code).to.equal(0)
    const second = troupe('start-all', '--port', '0')
    await until('the next server', () => second.written.out.includes('is up'))
    writeFileSync(join(folder, 'may-end'), '')
    expect(await client.code).to.equal(0)
    expect(client.written.err).to.contain('✓ flow  succeeded')
    second.child.kill('SIGINT')
    expect(await second.code).to.equal(0)
  })

  it('7.3.11 a server that stops its runs when it ends: a waiting client learns how it ended', async () => {
    const { folder, troupe } = place({ flow: 'steps:\n  - name: a\n    command: touch began; sleep 60\n' })
    mkdirSync(join(folder, 'home'))
    writeFileSync(join(folder, 'home', 'config.yaml'), 'shutdown: stop\n')
    const server = troupe('start-all', '--port', '0')
    await until('the server', () => server.written.out.includes('is up'))
    const client = troupe('start', 'flow')
    await until('the step', () => existsSync(join(folder, 'began')))
    const asked = performance.now()
    server.child.kill('SIGTERM')
    expect(await client.code).to.equal(1)
    expect(performance.now() - asked, 'no other engine is waited for').to.be.below(10_000)
    expect(client.written.err).to.match(/^■ flow {2}canceled .*\n└─ ■ a {2}canceled /m)
    expect(client.written.out).to.equal('')
    expect(await server.code).to.equal(0)
  })

  it('stop ends a run of another process and waits for it', async () => {
    const { folder, troupe } = place({ flow: 'steps:\n  - name: a\n    command: touch began; sleep 60\n' })
    const start = troupe('start', 'flow')
    await until('the step', () => existsSync(join(folder, 'began')))
    const stop = troupe('stop', 'flow')
    expect(await stop.code).to.equal(0)
    expect(stop.written.out).to.match(/^stopping run \S+ of flow\nrun \S+ of flow: canceled\n$/)
    expect(await start.code, 'canceled by a stop').to.equal(1)
  })
})

const health = (address: string) =>
  new Promise<string>((resolve, reject) => {
    request(`${address}/api/v2/health`, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve(JSON.parse(text).status)
    })
      .on('error', reject)
      .end()
  })
