/** What must stay true of homes: where they may be, who may own them, what messages say of them. Source: reliability P7, F37; configuration "Credentials". */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { STORE_VERSION } from '../../../src/store/store-version.ts'
import { program, runningServer } from '../../support/cli/program.ts'
import { canary } from '../../support/engine/secret-scene.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong, onlyLast } from '../../support/long.ts'
import { damage } from '../../support/store/lived-in-home.ts'

async function usedHome(home = temporaryFolder()): Promise<string> {
  const engine = await createEngine({ home, defaultShell: 'sh' })
  await engine.result(await engine.start({ spec: 'name: a\nsteps: ["true"]', dagRunId: 'r1' }))
  await engine.close()
  return home
}

async function refusal(home: string): Promise<string> {
  const { code, written } = program(home, { ENGINE_HOME: home }, 'start-all', '--port', '0')
  expect(await code, written.out).to.equal(1)
  return written.err
}

describe('a home', () => {
  it('of a newer release is refused with a sentence, and not changed', async () => {
    const home = await usedHome()
    const data = join(home, 'data')
    await damage(home, ({ root }) => root.openDB<number, string>({ name: 'meta' }).put('version', STORE_VERSION + 1))
    const seen = () => [readdirSync(data).sort(), readFileSync(join(data, 'troupe.mdb')).toString('base64')]
    const before = seen()
    expect(await refusal(home)).to.contain('the store was written by')
    expect(seen()).to.deep.equal(before)
  })

  it('has one engine, also through a link and a bind mount: the second is refused, the first goes on', async () => {
    const server = await runningServer()
    const { folder: home, address } = server
    const link = join(temporaryFolder(), 'link')
    symlinkSync(home, link)
    const mount = temporaryFolder()
    const isMounted = spawnSync('mount', ['--bind', home, mount]).status === 0 // not everybody may
    try {
      for (const other of [home, link, ...(isMounted ? [mount] : [])])
        expect(await refusal(other), other).to.contain(`in use by the engine with process id ${server.child.pid}`)
      expect((await fetch(`${address}/api/v2/health`)).status).to.equal(200)
      const body = JSON.stringify({ spec: 'name: b\nsteps: ["true"]' })
      const headers = { 'content-type': 'application/json' }
      expect((await fetch(`${address}/api/v2/dag-runs`, { method: 'POST', body, headers })).status).to.equal(200)
    } finally {
      if (isMounted) execFileSync('umount', [mount])
      await server.end()
    }
  })

  for (const [what, name] of onlyLast([
    ['spaces', ' a home  with spaces '],
    ['quotes and a dollar', `it's "$HOME" \`id\``]
  ]))
    it(`may have ${what} in its path: server, scripts, outputs and the command line`, async () => {
      const home = join(temporaryFolder(), String(name))
      mkdirSync(join(home, 'dags'), { recursive: true })
      writeFileSync(
        join(home, 'dags', 'all.yaml'),
        'steps:\n  - {name: say, command: echo said, output: OUT}\n  - {name: script, script: "echo got $OUT\\nexit 0\\n", depends: say, output: GOT}\n'
      )
      const server = await runningServer({}, { folder: home })
      try {
        const start = program(home, { ENGINE_HOME: home }, 'start', 'all', '--run-id', 'r1')
        expect(await start.code, start.written.err).to.equal(0)
        const status = program(home, { ENGINE_HOME: home }, 'status', 'all', '--json')
        expect(await status.code, status.written.err).to.equal(0)
        const outputs = await fetch(`${server.address}/api/v2/dag-runs/all/r1/outputs`)
        expect(((await outputs.json()) as { outputs: object }).outputs).to.deep.equal({ OUT: 'said', GOT: 'got said' })
        expect((await fetch(`${server.address}/api/v2/dag-runs/all/r1/steps/say/log`)).status).to.equal(200)
      } finally {
        await server.end()
      }
      const again = await refusalOrNothing(home)
      expect(again).to.equal('')
    })

  itLong(
    'may lie below a home directory with a newline in its path; a setting with one is refused by name',
    async () => {
      const folder = join(temporaryFolder(), 'a\nhome')
      mkdirSync(folder)
      const file = join(folder, 'all.yaml')
      writeFileSync(
        file,
        'steps:\n  - {name: say, command: echo said, output: OUT}\n  - {script: "test $OUT = said", depends: say}\n'
      )
      const start = program(folder, {}, 'start', file, '--run-id', 'r1')
      expect(await start.code, start.written.err).to.equal(0)
      const status = program(folder, {}, 'status', 'all', '--json')
      expect(await status.code, status.written.err).to.equal(0)
      const refused = program(folder, { ENGINE_HOME: folder }, 'status', 'all')
      expect(await refused.code).to.equal(1)
      expect(refused.written.err).to.contain('ENGINE_HOME: wanted a path, found ')
    }
  )

  /** A run in the foreground, without a server. */
  async function refusalOrNothing(home: string): Promise<string> {
    const { code, written } = program(home, { ENGINE_HOME: home }, 'start', 'all', '--quiet')
    expect(await code, written.err).to.equal(0)
    return written.err
  }

  it('backup, doctor and config show no secret and no credential; a backup is for its owner alone', async () => {
    const home = await usedHome()
    const [password, token, secret] = [canary(), canary(), canary()]
    writeFileSync(
      join(home, 'config.yaml'),
      `auth:\n  basic: {username: admin, password: ${password}}\n  token: {value: ${token}}\n`,
      { mode: 0o600 }
    )
    const backup = join(temporaryFolder(), 'b')
    for (const argv of [['config'], ['config', '--json'], ['doctor'], ['doctor', '--json'], ['backup', backup]]) {
      const { code, written } = program(home, { ENGINE_HOME: home, MY_SECRET: secret }, ...argv)
      await code
      for (const value of [password, token, secret])
        expect(written.out + written.err, argv.join(' ')).to.not.contain(value)
    }
    expect(statSync(backup).mode & 0o077).to.equal(0)
    for (const path of ['manifest.json', 'store/troupe.mdb', 'config.yaml'])
      expect(statSync(join(backup, path)).mode & 0o077, path).to.equal(0)
  })
})
