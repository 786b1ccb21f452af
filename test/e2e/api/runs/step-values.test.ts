/** What a step of a real run had, masked, and what differs from its last success. Source: docs/http-api.md "What a step had". */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Json, liveApi } from '../../../support/api/live-api.ts'

const SECRET = 'p4ss-w0rd-of-all'

describe('API › values of a step', () => {
  const api = liveApi()
  const of = (run: string, step: string, query = ''): Promise<Json> =>
    api.get(`/dag-runs/${run}/steps/${step}/values${query}`)
  const named = ({ values }: Json, name: string): Json => values.find((value: Json) => value.name === name)
  const run = async (name: string, body: Record<string, unknown>) => api.ended(name, await api.started(name, body))

  before(async () => {
    api.write(
      'values',
      `type: graph
params: STAGE=test DAY=1 UNUSED=x
env:
  - HOST: db.example
  - URL: "https://\${HOST}/x"
  - NOW: "\`echo unknown\`"
  - FROM_FILE: hidden-by-the-file
steps:
  - {name: first, command: echo "rows-$DAY", output: ROWS}
  - {name: apart, command: echo other, output: APART}
  - name: load
    depends: first
    env: [TARGET: "\${STAGE}/\${ROWS}"]
    command: test "$TARGET" = "test/rows-1" && echo "$URL \${UNKNOWN} $NOW $FROM_FILE"
`
    )
    writeFileSync(join(api.engine.config.dagsDir, '.env'), 'FROM_FILE=unseen\n')
    await run('values', { dagRunId: 'good' })
    await run('values', { dagRunId: 'bad', params: 'STAGE=prod' })
  })

  it('each name = value with where it comes from: param, env, output of a step, the env of the step', async () => {
    const answer = await of('values/good', 'load')
    const shown = (name: string) => {
      const { value, from, of: step } = named(answer, name)
      return [value, from, step]
    }
    expect(shown('TARGET')).to.deep.equal(['test/rows-1', 'step', undefined])
    expect(shown('STAGE')).to.deep.equal(['test', 'param', undefined])
    expect(shown('ROWS')).to.deep.equal(['rows-1', 'output', 'first'])
    expect(shown('URL')).to.deep.equal(['https://db.example/x', 'env', undefined])
    expect([named(answer, 'STAGE').isUsed, named(answer, 'HOST').isUsed, named(answer, 'UNUSED').isUsed]).to.deep.equal(
      [true, true, false]
    )
    expect(named(answer, 'APART'), 'the output of a step that is no predecessor').to.equal(undefined)
  })

  it('its command beside its template: a name that nothing is known of stays as written', async () => {
    const { texts } = await of('values/good', 'load')
    const [command] = texts
    expect(command.written).to.include('"$TARGET" =')
    expect(command.text).to.equal(
      'test "test/rows-1" = "test/rows-1" && echo "https://db.example/x ${UNKNOWN} `echo unknown` $FROM_FILE"'
    )
  })

  it('no command is run for it, and of a dotenv file it says names', async () => {
    const answer = await of('values/good', 'load')
    const { from, value, isPartial } = named(answer, 'NOW')
    expect([from, value, isPartial]).to.deep.equal(['env', '`echo unknown`', true])
    expect(named(answer, 'FROM_FILE'))
      .to.include({ from: 'dotenv', isUsed: true })
      .and.not.have.any.keys('value', 'written')
    expect(JSON.stringify(answer)).to.not.include('unseen').and.not.include('hidden-by-the-file')
  })

  it('no command of the definition is run for it, not even where the directory of its dotenv file depends on one', async () => {
    const marker = join(api.engine.config.dagsDir, 'marker')
    api.write(
      'marks',
      `env: [D: "\`touch '${marker}'; echo .\`"]\nworkingDir: $D\nsteps: [{name: a, command: 'echo $D'}]\n`
    )
    await run('marks', { dagRunId: 'one' })
    expect(existsSync(marker), 'the run itself ran it').to.equal(true)
    rmSync(marker)
    const answer = await of('marks/one', 'a')
    expect(existsSync(marker)).to.equal(false)
    expect(named(answer, 'D').isPartial).to.equal(true)
  })

  it('what differs from the latest run in which the step succeeded comes first, with what that one had', async () => {
    const { against, values, texts } = await of('values/bad', 'load')
    expect(against).to.deep.equal({ name: 'values', dagRunId: 'good' })
    const differing = values.filter(({ change }: Json) => change)
    expect(values.slice(0, differing.length)).to.deep.equal(differing)
    expect(
      differing.map(({ name, change, before, value }: Json) => [name, change, before, value])
    ).to.have.deep.members([
      ['STAGE', 'changed', 'test', 'prod'],
      ['TARGET', 'changed', 'test/rows-1', 'prod/rows-1']
    ])
    expect(texts[0].change).to.equal('changed')
    expect((await of('values/good', 'load')).against).to.equal(undefined)
  })

  it('at a moment: only the outputs that there were', async () => {
    const { events } = await api.get('/dag-runs/values/good/journal')
    const begun = events.find(({ actor, event }: Json) => actor.endsWith('/node/first') && event !== '').seq
    expect(named(await of('values/good', 'load', `?at=${begun}`), 'ROWS')).to.equal(undefined)
    expect(named(await of('values/good', 'load', `?at=${events.at(-1).seq}`), 'ROWS').value).to.equal('rows-1')
  })

  it('a long value is cut, and its length is said', async () => {
    api.write('long', `env:\n  - L: ${'x'.repeat(3_600)}\nsteps:\n  - {name: a, command: 'true # $L'}\n`)
    await run('long', { dagRunId: 'one' })
    const found = named(await of('long/one', 'a'), 'L')
    expect([found.length, found.value.length]).to.deep.equal([3_600, 1_000])
  })

  it('secrets nowhere: not of an env entry, in a param, in an output, in a text, in what differed', async () => {
    writeFileSync(join(api.engine.config.dagsDir, 'token.txt'), `${SECRET}-of-a-file\n`)
    api.write(
      'hush',
      `params: P=none
env: [PLAIN: ${SECRET}]
secrets:
  - {name: T, provider: env, key: PLAIN}
  - {name: F, provider: file, key: token.txt}
steps:
  - {name: say, command: echo "$T", output: SAID}
  - name: use
    depends: say
    env: [MIXED: "<\${P}-\${SAID}>", E: "\${T}", G: "\${F}"]
    command: echo "$T $MIXED $P" && test "$P" = none
`
    )
    await run('hush', { dagRunId: 'good' })
    await run('hush', { dagRunId: 'bad', params: `P=${SECRET}-of-a-file` })
    await run('hush', { dagRunId: 'worse', params: `P=${SECRET}` })
    for (const id of ['good', 'bad', 'worse'])
      for (const step of ['say', 'use']) {
        const { text } = await api.call('GET', `/dag-runs/hush/${id}/steps/${step}/values`)
        expect(text, `${id} ${step}`).to.not.include(SECRET).and.not.include('of-a-file')
      }
    const answer = await of('hush/worse', 'use')
    expect(named(answer, 'T')).to.include({ from: 'secret', isUsed: true }).and.not.have.any.keys('value')
    expect(named(answer, 'P')).to.include({ value: '*******', change: 'changed', before: 'none' })
    expect(named(answer, 'SAID').value).to.equal('*******')
  })

  it('a run or step that is not there -> 404; `at` beyond its events -> 400', async () => {
    const status = async (path: string) => (await api.call('GET', `/dag-runs/${path}/values`)).status
    expect(await status('values/nobody/steps/load')).to.equal(404)
    expect(await status('values/good/steps/nobody')).to.equal(404)
    expect((await api.call('GET', '/dag-runs/values/good/steps/load/values?at=99999')).status).to.equal(400)
  })
})
