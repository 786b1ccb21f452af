/** Likely mistakes: warned of in the answer, in the run and on stderr, and never a reason to refuse. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveApi } from '../../support/api/live-api.ts'
import { command, scene } from '../../support/cli/cli-scene.ts'
import { temporaryFolder } from '../../support/homes.ts'

const SPEC = 'params: NAME=world\nsteps:\n- {name: greet, command: "echo ${NAEM}"}\n'
const UNDEFINED = 'step greet: nothing defines NAEM; did you mean NAME?'
const UNDECLARED = 'the parameter NMAE is not declared, and nothing refers to it; did you mean NAME?'

describe('warnings about definitions and starts', () => {
  const api = liveApi()

  it('a start and an enqueue answer with them, and the run has them in its details', async () => {
    api.write('greets', SPEC)
    const body = { params: 'NMAE=x', dagRunId: 'one' }
    const { status, json } = await api.call('POST', '/dags/greets/start', { body })
    expect([status, json]).to.deep.equal([200, { dagRunId: 'one', warnings: [UNDECLARED, UNDEFINED] }])
    expect((await api.ended('greets', 'one')).warnings).to.deep.equal([UNDECLARED, UNDEFINED])
    const inline = await api.call('POST', '/dag-runs', { body: { spec: SPEC, name: 'inline', dagRunId: 'two' } })
    expect(inline.json).to.deep.equal({ dagRunId: 'two', warnings: [UNDEFINED] })
    const queued = await api.call('POST', '/dags/greets/enqueue', { body: { ...body, dagRunId: 'three' } })
    expect(queued.json.warnings).to.deep.equal([UNDECLARED, UNDEFINED])
    const again = await api.call('POST', '/dag-runs/enqueue', {
      body: { spec: SPEC, name: 'inline', dagRunId: 'four' }
    })
    expect(again.json.warnings).to.deep.equal([UNDEFINED])
    await api.ended('greets', 'three')
    await api.ended('inline', 'four')
  })
  it('without any, an answer and a run say nothing of warnings; a param that a start gives is defined', async () => {
    const { json } = await api.call('POST', '/dags/greets/start', { body: { params: 'NAEM=x', dagRunId: 'five' } })
    expect(json).to.deep.equal({ dagRunId: 'five' })
    expect(await api.ended('greets', 'five')).not.to.have.property('warnings')
  })
  it('validate lists them beside valid: true', async () => {
    const validated = async (spec: string) => (await api.call('POST', '/dags/validate', { body: { spec } })).json
    expect(await validated(SPEC)).to.deep.include({ valid: true, errors: [], warnings: [UNDEFINED] })
    expect(await validated('steps: []')).to.deep.include({
      valid: true,
      warnings: ['the definition has no steps: a run of it does nothing']
    })
    expect(await validated('steps: ["echo $HOME"]')).not.to.have.property('warnings')
  })
  it('a dotenv file may define what the definition does not', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.env'), 'NAEM=x')
    const { json } = await api.call('POST', '/dag-runs', {
      body: { spec: `workingDir: ${folder}\n${SPEC}`, name: 'env' }
    })
    expect(json).not.to.have.property('warnings')
  })
})

describe('troupe start › warnings', () => {
  it('are on stderr, and not with --quiet', async () => {
    for (const quiet of [false, true]) {
      const { engine, here } = scene()
      engine.acts.set('etl', (key) => {
        const record = engine.record(key)
        if (record) record.warnings = [UNDECLARED]
        engine.end(key, 'succeeded')
      })
      expect(await command('start', here, 'etl', ...(quiet ? ['--quiet'] : []))).to.equal(0)
      expect(here.written.err.includes(`warning: ${UNDECLARED}\n`)).to.equal(!quiet)
    }
  })
})
