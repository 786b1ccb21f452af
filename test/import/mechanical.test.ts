/** What 2.x says in other words, or in one place for many: written out here. Source: docs/operating/coming-from-dagu.md. */
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { readDefinition } from '../../src/definition/read.ts'
import { translated } from '../../src/import/dagu/translate/translated.ts'
import { temporaryFolder } from '../support/homes.ts'

/** What becomes of a text; nothing of it may be left, and it can run. */
// biome-ignore lint/suspicious/noExplicitAny: definitions of all shapes are looked into
function become(lines: readonly string[]): any {
  const { text, changes } = translated(`${lines.join('\n')}\n`, { isDefinition: () => false })
  expect(changes.filter(({ kind }) => kind === 'left')).to.deep.equal([])
  expect(readDefinition(text, { fallbackName: 'x' }).problems, text).to.deep.equal([])
  return parse(text)
}

describe('import › mechanical translations', () => {
  it('defaults are written on each step and handler: replaced by what a step says, before its env and preconditions', () => {
    const { defaults, steps, handlerOn } = become([
      'defaults:',
      '  retry_policy: {limit: 3, interval_sec: 5}',
      '  timeout_sec: 60',
      '  env: {LEVEL: info}',
      '  preconditions: {condition: "${A}", expected: b}',
      'handler_on: {exit: {run: echo end}}',
      'steps:',
      '  - run: echo a',
      '  - id: b',
      '    run: echo b',
      '    timeout_sec: 5',
      '    env: [OWN=1]',
      '    preconditions: [test -d x]',
      '    depends: []',
      '  - echo c'
    ])
    expect(defaults).to.equal(undefined)
    const policy = { limit: 3, intervalSec: 5 }
    const condition = { condition: `\${A}`, expected: 'b' }
    expect(steps[0]).to.deep.equal({
      command: 'echo a',
      retryPolicy: policy,
      timeoutSec: 60,
      env: { LEVEL: 'info' },
      preconditions: condition
    })
    expect(steps[1]).to.deep.include({
      timeoutSec: 5,
      env: [{ LEVEL: 'info' }, 'OWN=1'],
      preconditions: [condition, 'test -d x']
    })
    expect(steps[2]).to.deep.include({ command: 'echo c', timeoutSec: 60 })
    expect(handlerOn.exit).to.deep.include({ command: 'echo end', timeoutSec: 60 })
  })
  it('a default that there is not is left, and named', () => {
    const { text, changes } = translated('defaults: {timeout_sec: 1, agent: {model: x}}\nsteps: [echo a]\n', {
      isDefinition: () => false
    })
    expect(changes.filter(({ kind }) => kind === 'left').map(({ text }) => text)).to.deep.equal([
      'defaults.agent has no counterpart here'
    ])
    expect(text).to.contain('timeoutSec: 1').and.contain('defaults: {agent')
  })
  it('consts are the first of env', () =>
    expect(
      become(['consts: {BUCKET: b, N: 2}', 'env: [A=1]', 'steps:', '  - run: echo ${consts.BUCKET}'])
    ).to.deep.equal({
      env: [{ BUCKET: 'b' }, { N: 2 }, 'A=1'],
      steps: [{ command: `echo \${BUCKET}` }]
    }))
  it('a reference of 2.x in single quotes of a command is replaced, as it is there', () =>
    expect(
      become([
        'consts: {A: b}',
        'steps:',
        "  - run: echo '${consts.A}' 'a ${consts.A}'",
        '    env: {B: "\'${consts.A}\'"}'
      ]).steps
    ).to.deep.equal([{ command: `echo "\${A}" 'a \${A}'`, env: { B: `'\${A}'` } }]))
  it('handler_on.init is the first step, which the others wait for', () => {
    const { handlerOn, steps } = become([
      'handler_on:',
      '  init: {run: echo begin}',
      'steps:',
      '  - id: a',
      '    run: echo a',
      '  - id: b',
      '    run: echo b',
      '    depends: a',
      '  - run: echo c'
    ])
    expect(handlerOn).to.equal(undefined)
    expect(steps.map(({ name, depends }: { name?: string; depends?: unknown }) => [name, depends])).to.deep.equal([
      ['init', undefined],
      ['a', ['init']],
      ['b', 'a'],
      [undefined, ['init']]
    ])
  })
  it('waits for a time are a sleep; for a file or an address, a step that repeats until it is there', () => {
    const { steps } = become([
      'steps:',
      '  - {id: a, action: wait.duration, with: {duration: 1m500ms}}',
      '  - {id: b, action: wait.until, with: {until: "2030-01-02T03:04:05Z"}}',
      '  - {id: c, action: wait.file, with: {path: ./ready, poll_interval: 1500ms}}',
      '  - {id: d, action: wait.file, with: {path: ~/lock, state: missing}}',
      '  - id: e',
      '    action: wait.http',
      '    with: {url: "https://example.org/x", status: 204, headers: {A: "${T}"}, body: "{}"}'
    ])
    const work = steps.map(
      ({ executor, command, repeatPolicy }: Record<string, unknown>) => executor ?? [command, repeatPolicy]
    )
    expect(work.slice(0, 4)).to.deep.equal([
      { type: 'sleep', config: { for: 'PT60.5S' } },
      { type: 'sleep', config: { for: '2030-01-02T03:04:05Z' } },
      ['true', { repeat: 'until', condition: 'test -e "./ready"', intervalSec: 2 }],
      ['true', { repeat: 'until', condition: `test ! -e "\${HOME}/lock"`, intervalSec: 1 }]
    ])
    expect(work[4][1].condition).to.equal(
      `test "$(curl -s -o /dev/null -m 10 -X GET -H "A: \${T}" --data-binary "{}" -w '%{http_code}' "https://example.org/x")" = 204`
    )
  })
  it('a human task is an approval, with a form a signal whose payload the others have', () => {
    const { steps } = become([
      'steps:',
      '  - {id: ok, action: human.task, with: {prompt: Go on?}}',
      '  - id: target',
      '    action: human.task',
      '    with: {prompt: Where?, form: {type: object, properties: {stage: {type: string}}, required: [stage]}}',
      '  - {id: deploy, depends: [ok, target], run: "./deploy \'${steps.target.outputs.stage}\'"}'
    ])
    expect(steps[0].executor).to.deep.equal({ type: 'approval', config: { ask: 'Go on?' } })
    expect(steps[1].executor.config.payloadSchema).to.deep.equal({
      type: 'object',
      properties: { stage: { type: 'string' } },
      required: ['stage'],
      additionalProperties: false
    })
    expect([steps[1].output, steps[2].command]).to.deep.equal(['target_form', `./deploy "\${target_form.stage}"`])
  })
  it('an approval on a step is a step after it, which its dependents wait for', () => {
    const { steps } = become([
      'type: graph',
      'steps:',
      '  - {id: stage, run: ./deploy stage, approval: {prompt: Look at it}}',
      '  - {id: live, run: ./deploy live, depends: stage}',
      '  - {id: other, run: echo other}'
    ])
    expect(steps.map(({ name, depends }: { name: string; depends?: unknown }) => [name, depends])).to.deep.equal([
      ['stage', undefined],
      ['stage-approval', ['stage']],
      ['live', ['stage-approval']],
      ['other', undefined]
    ])
    expect(steps[1].executor).to.deep.equal({ type: 'approval', config: { ask: 'Look at it' } })
  })
  it('the routes of a router are preconditions of their steps', () => {
    const { steps } = become([
      'steps:',
      '  - {id: pick, action: router.route, with: {value: "${env.STAGE}", routes: {prod: [a], "re:^dev": b}}}',
      '  - {id: a, run: echo a}',
      '  - {id: b, run: echo b, depends: pick, preconditions: test -d x}'
    ])
    expect(steps[0]).to.deep.equal({ name: 'pick', id: 'pick', command: 'true' })
    expect(steps[1]).to.deep.include({
      depends: ['pick'],
      preconditions: [{ condition: `\${STAGE}`, expected: 'prod' }]
    })
    expect(steps[2]).to.deep.include({
      depends: ['pick'],
      preconditions: [{ condition: `\${STAGE}`, expected: 're:^dev' }, 'test -d x']
    })
  })
  it('file actions and checkouts are scripts that do the same', () => {
    const folder = temporaryFolder()
    const { steps } = become([
      'steps:',
      '  - {id: a, action: file.write, with: {path: x/one, content: "it\'s `1` \\"$\\"", create_dirs: true}}',
      '  - {id: b, action: file.copy, with: {source: x/one, destination: y/two, create_dirs: true}}',
      '  - {id: c, action: file.move, with: {source: y/two, destination: y/three}}',
      '  - {id: d, action: file.delete, with: {path: x, recursive: true}}',
      '  - {id: e, action: file.mkdir, with: {path: z/z}}',
      '  - {id: f, action: file.read, with: {path: y/three}, output: TEXT}',
      '  - {id: g, action: git.checkout, with: {repository: "https://example.org/a.git", path: ./a, ref: main, depth: 1}}'
    ])
    const scripts = steps.slice(0, 6).map(({ script }: { script: string }) => script)
    const out = scripts.map((script: string) => execFileSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8' }))
    expect(out[5]).to.equal('it\'s `1` "$"')
    expect(readdirSync(folder).sort()).to.deep.equal(['y', 'z'])
    expect(statSync(join(folder, 'y/three')).mode & 0o777).to.equal(0o600)
    expect(() => execFileSync('sh', ['-c', scripts[2]], { cwd: folder, stdio: 'pipe' })).to.throw(
      'y/three is there already'
    )
    expect(steps[6].script).to.contain('git clone --no-checkout --depth 1 -- "https://example.org/a.git" "./a"')
  })
  it('a template with members alone is a script that prints it', () => {
    const { steps } = become([
      'steps:',
      '  - id: a',
      '    action: template.render',
      '    with:',
      '      template: "it\'s {{ .name }}: {{.n}}\\n"',
      '      data: {name: \'a "b"\', n: 2}'
    ])
    expect(execFileSync('sh', ['-c', steps[0].script], { encoding: 'utf8' })).to.equal(`it's a "b": 2\n`)
  })
  it('what cannot be translated whole is left and named, never half', () => {
    for (const step of [
      'action: file.stat\n    with: {path: x}',
      'action: file.write\n    with: {path: x, dry_run: true}',
      'action: git.checkout\n    with: {repository: x, path: y, token: z}',
      'action: file.mkdir\n    with: {path: x}\n    output: X',
      'action: router.route\n    with: {value: x, routes: {"num:>=1": [a]}}',
      'run: x\n    approval: {input: [A]}',
      'action: template.render\n    with: {template: "{{ .a | upper }}", data: {a: b}}',
      'action: template.render\n    with: {template: "{{ .b }}", data: {a: b}}'
    ]) {
      const { changes } = translated(`steps:\n  - id: a\n    ${step}\n`, { isDefinition: () => false })
      expect(
        changes.filter(({ kind }) => kind === 'left'),
        step
      ).to.have.length(1)
    }
  })
})
