/** Texts that are no definitions: a documented 4xx or a list of errors, with all problems at once; nothing changes, and the server lives. Source: reliability P19, P21, P22; architecture 7. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { expect } from 'chai'
import { GOOD, MIB, refused, unharmedApi } from '../../support/api/bad-input.ts'
import type { Json } from '../../support/api/live-api.ts'

/** Texts that are no definitions, and what is said about them: every one of these in one answer. */
const WRONG_TEXTS: Record<string, [text: string, ...problems: RegExp[]]> = {
  'bad YAML, with line and column': [
    'steps:\n  - name: x\n   y: [\n',
    /^invalid YAML: .+ \(line 3, column 1\)$/,
    /^invalid YAML: .+ \(line 4, column 1\)$/
  ],
  'a tab for indentation': ['steps:\n\t- echo hi\n', /^invalid YAML: .+ \(line 2, column 1\)/],
  'unknown keys, at each level': [
    'colour: red\nsteps:\n  - {command: x, colur: red, continueOn: {exit: 1}}\n',
    /^has invalid keys: colour \(line 1, column 1\)$/,
    /^field 'steps\[0\]': has invalid keys: colur \(line 3, column 18\)$/,
    /exit.*\(line 3, column \d+\)$/
  ],
  'a cycle': [
    'type: graph\nsteps:\n  - {name: a, command: x, depends: c}\n  - {name: b, command: x, depends: a}\n  - {name: c, command: x, depends: b}\n',
    /cycle/
  ],
  'a step that depends on itself': ['type: graph\nsteps: [{name: a, command: x, depends: a}]', /\ba\b.*\(line 1|cycle/],
  'missing dependencies': [
    'steps:\n  - {name: a, command: x, depends: [b, c]}\n',
    /^field 'depends': step a depends on non-existent step b \(line 2, column 37\)$/,
    /^field 'depends': step a depends on non-existent step c \(line 2, column 40\)$/
  ],
  'bad names': [
    `name: a b\nsteps:\n  - {name: s, command: x}\n  - {name: s, command: x}\n  - {id: 1x, command: x}\n`,
    /^field 'name': name must only contain .+ \(line 1, column 7\)$/,
    /^field 'name': step name must be unique .+ \(line 4, column 12\)$/,
    /^field 'id': invalid step ID format.+ \(line 5, column 10\)$/
  ],
  'a name of 41 characters': [`name: ${'n'.repeat(41)}\n`, /^field 'name': name must be less than 40 characters/],
  'values of wrong types': [
    'maxActiveRuns: many\ntags: {a: b}\nenv: 5\nsteps: 7\n',
    /^field 'maxActiveRuns': .+ \(line 1, column 16\)$/,
    /^field 'tags': .+ \(line 2/,
    /^field 'env': .+ \(line 3/,
    /^field 'steps': .+ \(line 4/
  ],
  'a step without a command': [
    'steps: [{name: a}]',
    /^field 'command': step command is required \(line 1, column 9\)$/
  ],
  'containers of steps that are none': [
    'steps: [{command: y, container: {image: a}, executor: shell}, {command: y, container: {pull: sometimes}}]',
    /^field 'container': container and executor are exclusive \(line 1/,
    /^field 'image': image is required when container is specified \(line 1/,
    /^field 'pull': /
  ],
  'no map at all': ['- echo hi\n', /must be a map/],
  'a number': ['42', /must be a map/],
  'a document without a name': ['name: a\n---\nsteps: []\n', /must have a name/],
  'keys of prototypes': [
    '__proto__: {a: 1}\nenv: {constructor: x, prototype: y}',
    /__proto__/,
    /constructor/,
    /prototype/
  ],
  'keys given twice': ['name: a\nname: b\n', /\(line 2, column 1\)$/],
  'a null character': ['name: a\nsteps: ["echo \\0"]', /.+/],
  'level 65 of nesting': [
    `params: ${'['.repeat(65)}${']'.repeat(65)}`,
    /at most 64 levels of nesting \(line 1, column \d+\)$/
  ],
  'more than 100 aliases': [`x-a: &a b\ntags: [${'*a, '.repeat(101)}]`, /.+/],
  'aliases that multiply': [
    `x-0: &x0 [a]\n${Array.from({ length: 9 }, (_, at) => `x-${at + 1}: &x${at + 1} [${`*x${at}, `.repeat(9)}]`).join('\n')}\ntags: *x9`,
    /.+/
  ],
  'an alias of itself': ['x-a: &a [*a]\nsteps: *a\n', /.+/],
  'an alias of nothing': ['steps: *nobody\n', /nobody.*\(line 1, column 8\)/],
  'more than 1 MiB': [`# ${'x'.repeat(MIB)}\n${GOOD}`, /1048576 bytes/],
  '10,001 steps': [`steps:\n${'  - x\n'.repeat(10_001)}`, /10000|10,000/]
}

describe('API › bad input', () => {
  const { api, send } = unharmedApi()

  describe('definition texts', () => {
    for (const [what, [text, ...wanted]] of Object.entries(WRONG_TEXTS)) {
      it(`${what}: refused wherever a text is taken, with all problems at once`, async () => {
        const isTold = (errors: string[], where: string) => {
          for (const problem of wanted)
            expect(
              errors.some((error) => problem.test(error)),
              `${where}: ${problem} in ${errors.join('\n')}`
            ).to.equal(true)
        }
        const created = refused('POST /dags', await send('POST', '/dags', { name: 'new', spec: text }))
        isTold(created.details.errors, 'POST /dags')
        expect(created.message).to.equal(`invalid spec: ${created.details.errors.join('; ')}`)
        const started = refused('POST /dag-runs', await send('POST', '/dag-runs', { name: 'new', spec: text }))
        isTold(started.details.errors, 'POST /dag-runs')

        const validated = await send('POST', '/dags/validate', { spec: text })
        expect([validated.status, validated.json.valid]).to.deep.equal([200, false])
        isTold(validated.json.errors, 'POST /dags/validate')

        const replaced = await send('PUT', '/dags/good/spec', { spec: text })
        if (Buffer.byteLength(text) > MIB) refused('PUT', replaced)
        else {
          expect(replaced.status).to.equal(200)
          isTold(replaced.json.errors, 'PUT')
        }
      })
    }

    it('3.2, 3.3 a stored text that is wrong is listed with its errors, can be looked at, and cannot be started', async () => {
      const { dagsDir } = api.engine.config
      for (const [what, [text]] of Object.entries(WRONG_TEXTS)) {
        api.write('wrong', text)
        const stored = api.digest()
        const list = await api.call('GET', '/dags?name=wrong')
        expect(list.status, what).to.equal(200)
        const [entry] = list.json.dags
        expect([entry.fileName, entry.errors.length > 0], what).to.deep.equal(['wrong', true])
        expect((await api.call('GET', '/dags/wrong')).json.errors, what).to.deep.equal(entry.errors)
        const spec = await api.call('GET', '/dags/wrong/spec')
        expect([spec.status, spec.json.errors.slice(0, entry.errors.length)], what).to.deep.equal([200, entry.errors])
        const { details } = refused(what, await send('POST', '/dags/wrong/start'))
        expect(details.errors, what).to.deep.equal(entry.errors)
        expect(api.digest(), what).to.deep.equal(stored)
        rmSync(`${dagsDir}/wrong.yaml`)
      }
    })

    it('a file that cannot be read is listed with its error and hides no other', async () => {
      const { dagsDir } = api.engine.config
      symlinkSync('loop.yaml', `${dagsDir}/loop.yaml`)
      symlinkSync('nowhere', `${dagsDir}/dangling.yaml`)
      mkdirSync(`${dagsDir}/folder.yaml`)
      const { status, json } = await api.call('GET', '/dags')
      expect(status).to.equal(200)
      expect(json.dags.map(({ fileName, errors }: Json) => [fileName, errors])).to.deep.equal([
        ['busy', []],
        ['good', []],
        ['loop', ['the file cannot be read: links in its path lead in a circle']]
      ])
      expect(json.errors).to.deep.equal(['loop: the file cannot be read: links in its path lead in a circle'])
      expect((await api.call('GET', '/dags/loop')).json.errors).to.deep.equal([
        'the file cannot be read: links in its path lead in a circle'
      ])
      for (const body of [{}, { dagName: 'other' }]) refused('start', await send('POST', '/dags/loop/start', body))
      for (const name of ['dangling', 'folder']) refused(name, await api.call('GET', `/dags/${name}`), 404, 'not_found')
      for (const name of ['loop', 'dangling', 'folder']) rmSync(`${dagsDir}/${name}.yaml`, { recursive: true })
    })
  })
})
