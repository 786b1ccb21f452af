/** The forms that actions are written in: references, action.yml, expressions, command files. Source: execution-semantics 10.9.4. */
import { expect } from 'chai'
import { actionReference } from '../../../src/definition/steps/action-reference.ts'
import { readAction } from '../../../src/executors/gha/action.ts'
import { type Context, filledIn, holds } from '../../../src/executors/gha/expression.ts'
import { pairsIn } from '../../../src/executors/gha/file-commands.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'

const messageOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

describe('gha › references', () => {
  it('owner/repo@ref, a folder in it, or a folder of the working directory', () => {
    expect(actionReference('a/b@v1')).to.deep.equal({ repository: 'a/b', path: '', ref: 'v1' })
    expect(actionReference('a/b/c/d@feature/x')).to.deep.equal({ repository: 'a/b', path: 'c/d', ref: 'feature/x' })
    expect(actionReference('./x/y')).to.deep.equal({ local: './x/y' })
  })
  it('nothing that could be an option of git, or leaves its place', () => {
    for (const text of [
      'a/b',
      'a@v1',
      'a/b@-x',
      'a/../b@v1',
      './../x',
      './a/..',
      '../x',
      '/x',
      'docker://x',
      'a/b@v 1',
      ''
    ])
      expect(actionReference(text), text).to.equal(undefined)
  })
})

describe('gha › action.yml', () => {
  const read = (runs: object | string, more: object = {}) => readAction(JSON.stringify({ runs, ...more }), 'action.yml')
  it('node, docker and composite', () => {
    expect(read({ using: 'node20', main: 'm.js', post: 'p.js' }).runs).to.deep.equal({
      using: 'node',
      main: 'm.js',
      post: 'p.js',
      preIf: 'always()',
      postIf: 'always()'
    })
    expect(read({ using: 'docker', image: 'Dockerfile', args: [1, 'b'], env: { A: 2 } }).runs).to.deep.equal({
      using: 'docker',
      image: 'Dockerfile',
      args: ['1', 'b'],
      env: [['A', '2']]
    })
    expect(read({ using: 'composite', steps: [{ id: 'x', run: 'true', shell: 'bash' }] }).runs).to.deep.equal({
      using: 'composite',
      steps: [
        { id: 'x', name: 'x', run: 'true', shell: 'bash', env: [], condition: 'success()', continueOnError: 'false' }
      ]
    })
  })
  it('inputs and outputs', () => {
    const { inputs, outputs } = read(
      { using: 'node24', main: 'm' },
      { inputs: { a: { default: 1, required: true }, b: null }, outputs: { o: { value: 'v' }, p: {} } }
    )
    expect([...inputs]).to.deep.equal([
      ['a', { required: true, default: '1' }],
      ['b', { required: false }]
    ])
    expect([...outputs]).to.deep.equal([
      ['o', 'v'],
      ['p', '']
    ])
  })
  for (const [what, runs, message] of [
    [
      'another kind',
      { using: 'wasm' },
      'runs.using: "wasm" is not supported, wanted node<version>, docker or composite'
    ],
    ['no runs', 'x', 'runs: wanted a map'],
    ['a node action without main', { using: 'node20' }, 'runs.main is required'],
    [
      'entrypoints around a docker action',
      { using: 'docker', image: 'D', 'pre-entrypoint': 'x' },
      'runs.pre-entrypoint is not supported'
    ],
    [
      'a composite step that uses another action',
      { using: 'composite', steps: [{ uses: 'a/b@v1', with: {} }] },
      'runs.steps[0].uses is not supported: the steps of a composite action may be shell commands (run) only; runs.steps[0].with is not supported'
    ],
    [
      'a composite step without shell',
      { using: 'composite', steps: [{ run: 'x' }] },
      'runs.steps[0].shell is required'
    ],
    [
      'a shell that is not known',
      { using: 'composite', steps: [{ run: 'x', shell: 'fish' }] },
      'runs.steps[0].shell: fish is not supported, wanted bash, sh, python, pwsh, or a command with {0}'
    ],
    ['steps that are no list', { using: 'composite', steps: 'x' }, 'runs.steps: wanted a list']
  ] as const)
    it(`anything else is refused by name: ${what}`, () => {
      expect(messageOf(() => read(runs))).to.include(`action.yml: ${message}`)
    })
  it('all problems are reported at once; a text that is no YAML, or nested too deeply, too', () => {
    expect(messageOf(() => read({ using: 'node20', x: 1 }, { jobs: {} }))).to.equal(
      'action.yml: jobs is not supported; runs.x is not supported; runs.main is required'
    )
    expect(messageOf(() => readAction('a: [', 'action.yml'))).to.match(/^action.yml: .*invalid YAML/)
    expect(messageOf(() => readAction('['.repeat(100_000), 'action.yml'))).to.match(/nest/)
  })
})

describe('gha › expressions', () => {
  const context: Context = {
    inputs: { name: 'v', 'with-dash': 'd', empty: '' },
    github: { ref: 'main' },
    steps: { one: { outputs: { out: 'x' }, outcome: 'success' } }
  }
  for (const [text, value] of [
    ['a ${{ inputs.name }} b', 'a v b'],
    ["${{inputs['with-dash']}}", 'd'],
    ['${{ inputs.with-dash }}', 'd'],
    ['${{ inputs.NAME }}', 'v'],
    ['${{ inputs.missing }}', ''],
    ['${{ steps.one.outputs.out }}${{ steps.two.outputs.out }}', 'x'],
    ["${{ inputs.empty || 'other' }}", 'other'],
    ["${{ inputs.name == 'V' && 'yes' || 'no' }}", 'yes'],
    ["${{ !(github.ref != 'main') }}", 'true'],
    ["${{ 'it''s' }} ${{ 1.5 }} ${{ true }} ${{ null }}|", "it's 1.5 true |"],
    ['${{ unclosed', '${{ unclosed'],
    ['no expression', 'no expression']
  ] as const)
    it(`${text} is ${JSON.stringify(value)}`, () => {
      expect(filledIn(text, context)).to.equal(value)
    })
  for (const [inner, reason] of [
    ["hashFiles('x')", 'the function hashFiles is not known'],
    ['matrix.os', 'there is no matrix here'],
    ['steps.one.outputs', 'steps.one.outputs is no single value'],
    ['1 < 2', '< 2'],
    ['(1', 'a ) is missing'],
    ['1 2', 'something follows its end'],
    ['==', '== is where a value should be'],
    ['', 'it is empty']
  ] as const)
    it(`what is not supported is refused by name: ${inner}`, () => {
      expect(messageOf(() => filledIn(`\${{ ${inner} }}`, context)))
        .to.include('is not supported: ')
        .and.include(reason)
    })
  it('conditions: without a question about the steps before they hold after success only', () => {
    const of = (condition: string) => [holds(condition, context, 'success'), holds(condition, context, 'failure')]
    expect(of("inputs.name == 'v'")).to.deep.equal([true, false])
    expect(of('${{ success() }}')).to.deep.equal([true, false])
    expect(of('failure()')).to.deep.equal([false, true])
    expect(of('always()')).to.deep.equal([true, true])
    expect(of('cancelled()')).to.deep.equal([false, false])
    expect(of("failure() && inputs.name == 'x'")).to.deep.equal([false, false])
  })
  it('a text full of openings is read in linear time', async () => {
    const read = (count: number) => expect(filledIn('${{'.repeat(count), context)).to.have.length(3 * count)
    expect(await growth(read, 20_000)).to.be.below(LINEAR)
  })
})

describe('gha › command files', () => {
  it('name=value, and values of several lines between marks', () => {
    expect(pairsIn('a=1\nb=x=y<<z\nc<<END\none\n\ntwo\nEND\n\nd=\n', 'output')).to.deep.equal([
      ['a', '1'],
      ['b', 'x=y<<z'],
      ['c', 'one\n\ntwo'],
      ['d', '']
    ])
  })
  it('what is neither is refused with its line and without its text', () => {
    expect(messageOf(() => pairsIn('a=1\nsecret', 'env'))).to.equal(
      'the command file env, line 2: wanted name=value or name<<mark'
    )
    expect(messageOf(() => pairsIn('a<<E\nsecret', 'env'))).to.equal(
      'the command file env, line 1: the closing mark of a is missing'
    )
  })
})
