/** `--json` is JSON in every case: whatever goes wrong is an object on stdout, and the line on stderr that it is without it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { dispatch } from '../../src/cli/dispatch.ts'
import { commands } from '../../src/cli/input/commands.ts'
import { TroupeError } from '../../src/errors.ts'
import { scene } from '../support/cli/cli-scene.ts'

async function said(argv: string[], { home, here } = scene()) {
  const code = await dispatch(argv, here.out, here.err, async () => here)
  return { code, home, ...here.written }
}
const objects = (out: string) =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** What a command has to be given, to get as far as it can. */
const OPERANDS: Partial<Record<string, string[]>> = {
  retry: ['nothing', '-r', 'latest'],
  at: ['nothing', '--event', '1'],
  dequeue: ['nothing'],
  stop: ['nothing', '-r', 'latest'],
  inspect: ['nothing'],
  decisions: ['--limit', '0'],
  config: ['--port', 'x'],
  'start-all': ['--port', 'x'],
  server: ['--port', 'x'],
  scheduler: ['--dags'],
  schema: ['x'],
  version: ['x'],
  queues: ['x'],
  runs: ['--limit', '0'],
  waiting: ['x', 'y'],
  events: ['nothing', '--after', 'x'],
  doctor: ['x']
}

describe('troupe --json › errors', () => {
  for (const { name } of commands) {
    it(`${name}: what goes wrong is an object on stdout, an unknown flag too`, async () => {
      for (const words of [OPERANDS[name] ?? ['nothing'], ['--fromage']]) {
        const { code, out, err } = await said([name, ...words, '--json'])
        expect(code, words.join(' ')).to.equal(1)
        const [{ error }, ...more] = objects(out)
        expect(more).to.deep.equal([])
        expect(error.code).to.be.oneOf(['bad_request', 'not_found', 'service_unavailable', 'not_running'])
        expect(err).to.contain(`Error: ${error.message}\n`)
        expect((await said([name, ...words])).out, 'without --json').to.equal('')
        expect((await said([name, ...words, '--json', '-q'])).out, 'with --quiet').to.equal('')
      }
    })
  }

  it('no command and an unknown one, details of the error, and an unexpected failure', async () => {
    expect(objects((await said(['--json'])).out)).to.deep.equal([
      { error: { code: 'bad_request', message: 'wanted a command, found none; troupe help lists all' } }
    ])
    expect(objects((await said(['strat', '--json'])).out)[0].error.message).to.contain('did you mean start?')
    const place = scene()
    place.engine.failure = new TroupeError('max_run_reached', 'enough', { details: { limit: 1 } })
    expect(objects((await said(['start', 'etl', '--json', '--no-queue'], place)).out).at(-1).error).to.deep.include({
      code: 'max_run_reached',
      details: { limit: 1 }
    })
    const { here } = scene()
    await dispatch(['status', 'etl', '--json'], here.out, here.err, async () => {
      throw new Error('odd')
    })
    expect(objects(here.written.out)[0].error.code).to.equal('internal_error')
  })

  it('a word after -- is no flag', async () => {
    expect((await said(['start', 'nothing', '--', '--json'])).out).to.equal('')
  })

  it('dry, validate: problems of a definition', async () => {
    const place = scene()
    writeFileSync(join(place.home, 'bad.yaml'), 'steps:\n  - name: a\n    comand: x\n')
    for (const name of ['dry', 'validate']) {
      place.here.written.out = ''
      const { code, out, err } = await said([name, 'bad', '--json'], place)
      expect({ code, err }, name).to.deep.equal({ code: 1, err: '' })
      const [{ problems, ...rest }] = objects(out)
      expect(rest).to.deep.equal({ valid: false, file: join(place.home, 'bad.yaml'), name: 'bad', warnings: [] })
      expect(problems[0]).to.include({ line: 2 })
    }
    place.here.written.out = ''
    expect(objects((await said(['dry', 'etl', '--json', '-p', '{'], place)).out)[0].error.code).to.equal('bad_request')
  })
})
