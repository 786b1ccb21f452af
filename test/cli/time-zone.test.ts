/** What the program makes of `TZ`. Source: tzset(3), execution-semantics 11.3; api-semantics 3.1. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { program, runningServer } from '../support/cli/program.ts'
import { temporaryFolder } from '../support/homes.ts'

const INDEX = new URL('../../src/index.js', import.meta.url).href

/** A home with one scheduled definition. */
function home(): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'dags'))
  writeFileSync(join(folder, 'dags', 's.yaml'), 'schedule: "30 9 * * *"\nsteps:\n  - date +%z > offset\n')
  return folder
}

describe('troupe and the time zone of the environment', () => {
  it('an empty TZ is UTC: every request is answered, health too', async () => {
    const folder = home()
    const server = await runningServer({ TZ: '' }, { folder })
    try {
      const get = (path: string) => fetch(`${server.address}/api/v2${path}`)
      for (const path of ['/dags', '/dags/s', '/dags/s/spec', '/dags/search?q=date', '/health'])
        expect((await get(path)).status, path).to.equal(200)
      const checked = await fetch(`${server.address}/api/v2/dags/validate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ spec: 'schedule: "30 9 * * *"\nsteps:\n  - "true"\n' })
      })
      expect(checked.status).to.equal(200)
      expect(server.written.err).to.not.contain('level=ERROR')
    } finally {
      await server.end()
    }
  })
  it('an empty TZ is UTC for commands that show a run', async () => {
    const folder = home()
    const environment = { TZ: '', ENGINE_HOME: folder }
    for (const argv of [
      ['start', 's', '-r', 'r1'],
      ['inspect', 's'],
      ['explain', 's'],
      ['decisions', 's'],
      ['status', 's']
    ]) {
      const { code, written } = program(folder, environment, ...argv)
      expect(await code, `${argv[0]}: ${written.err}`).to.equal(0)
    }
  })
  it('a TZ that cannot be understood is refused by name before anything happens, by commands and server alike', async () => {
    const folder = home()
    for (const argv of [['start', 's'], ['status', 's'], ['start-all', '--port', '0'], ['scheduler'], ['config']]) {
      const { code, written } = program(folder, { TZ: 'Mars/Base', ENGINE_HOME: folder }, ...argv)
      expect(await code, argv[0]).to.equal(1)
      expect(written.err).to.equal(
        'Error: TZ: wanted a time zone, found "Mars/Base": set TZ or ENGINE_TZ to one such as Europe/Berlin\n'
      )
    }
    expect(existsSync(join(folder, 'logs'))).to.equal(false)
  })
  it('an embedded engine refuses it in the same words, and takes an empty one for UTC', () => {
    const opens = `import(${JSON.stringify(INDEX)}).then(async ({ createEngine }) => {
      const engine = await createEngine({ temporary: true, schedules: true })
      console.log(engine.config.tz)
      await engine.close()
    }).catch(({ code, message }) => console.log(code, message))`
    const said = (TZ: string) =>
      execFileSync(process.execPath, ['-e', opens], { env: { ...process.env, TZ }, encoding: 'utf8' }).trim()
    expect(said('')).to.equal('UTC')
    expect(said('Mars/Base')).to.match(/^bad_request TZ: wanted a time zone, found "Mars\/Base": /)
  })
  it('ENGINE_TZ beside another TZ: the log says that commands follow that one', async () => {
    const server = await runningServer({ TZ: 'Asia/Tokyo', ENGINE_TZ: 'Europe/Berlin' }, { folder: home() })
    await server.end()
    expect(server.written.err).to.match(
      /INFO commands of steps follow another time zone schedules="Europe\/Berlin" commands="Asia\/Tokyo"/
    )
  })
})
