/** Who sees the value of a secret, and what is refused because it would be shown. Source: execution-semantics 14.4; reliability P23. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { textOf } from '../../support/engine/live.ts'
import { MASK, secretScene } from '../../support/engine/secret-scene.ts'

describe('secrets', () => {
  const { live, folder, dag, token, key } = secretScene()

  it('14.4.8 a captured output is clear for later steps and handlers, and masked in the record', async () => {
    const run = await live.run(
      dag(
        `
        - {name: makes, command: 'printf "  %s|%s\\n\\n" "$TOKEN" "$KEY"; echo "*******"', output: OUT}
        - {name: uses, depends: makes, command: 'test "\${OUT%%|*}" = "$TOKEN"'}
        - {name: raw, depends: makes, command: 'printf %s "\${OUT}" >raw.txt'}
        - {name: json, depends: makes, command: 'printf "{\\"a\\": {\\"b\\": \\"%s\\"}}" "$TOKEN"', output: JSON}
        - {name: path, depends: json, env: [{AB: "\${JSON.a.b}"}], command: 'test "$AB" = "$TOKEN"'}
        - {name: python, depends: json, env: [{AB: "\${JSON.a.b}"}], shell: "python3", script: 'import os; assert os.environ["AB"] == os.environ["TOKEN"]'}
      `,
        `      handlerOn:
        exit: {command: 'test "$OUT" = "$(cat raw.txt)"'}`
      )
    )
    expect(run.statuses).to.deep.equal(Array.from({ length: 6 }, () => 'succeeded'))
    expect(run.node('onExit').status).to.equal('succeeded')
    expect(readFileSync(join(folder, 'raw.txt'), 'utf8')).to.equal(`${token}|${key}\n\n${MASK}`)
    expect(run.node('makes').output).to.equal(`${MASK}|${MASK}\n\n${MASK}`)
    expect(JSON.stringify(run)).to.not.contain(token)
  })

  it('3.3.3 a secret is never put into a command line or script: the shell puts it in, or the step fails and says why', async () => {
    const run = await live.run(
      dag(`
        - {name: makes, command: 'echo "$TOKEN"', output: OUT}
        - {name: shown, depends: makes, command: 'tr "\\0" " " </proc/$$/cmdline; echo "\${OUT} \${TOKEN}"'}
        - {name: quoted, depends: makes, command: "echo '-\${OUT}-'", continueOn: {failure: true}}
        - {name: words, command: echo, args: ["\${TOKEN}"], continueOn: {failure: true}}
        - {name: script, depends: makes, shell: python3, script: 'print("\${OUT}")', continueOn: {failure: true}}
        - {name: odd, env: [{my-var: "\${TOKEN}"}], command: 'true', continueOn: {failure: true}}
      `)
    )
    expect(run.out('shown')).to.match(/echo "\$\{OUT\} \$\{TOKEN\}" \*{7} \*{7}\n$/)
    for (const [name, reference] of [
      ['quoted', '${OUT}'],
      ['words', '${TOKEN}'],
      ['script', '${OUT}']
    ] as const)
      expect(run.node(name).error).to.contain(`${reference} holds a secret`)
    // No shell can export it: the launcher needs none.
    expect(run.node('odd').status).to.equal('succeeded')
  })

  it('3.5.5 a call whose params or items hold a secret fails, whatever the quotes that its characters need', async () => {
    const run = await live.run(`
      type: graph
      secrets: [{name: QUOTED, provider: env, key: E2E_QUOTED}]
      steps:
        - {name: params, call: kid, params: "P=\${QUOTED} Q=x", continueOn: {failure: true}}
        - {name: items, call: kid, parallel: ["a", "\${QUOTED}"], params: "P=\${ITEM}", continueOn: {failure: true}}
        - {name: json, call: kid, params: '{"Q":{"k":["\${QUOTED}"]}}', continueOn: {failure: true}}
        - {name: each, call: kid, parallel: [a, b], params: "P=\${QUOTED}", continueOn: {failure: true}}
        - {name: bare, call: kid, parallel: ["\${QUOTED}"], continueOn: {failure: true}}
        - {name: nested, call: kid, params: {P: {a: "\${QUOTED}"}}, continueOn: {failure: true}}
        - {name: map, call: kid, parallel: [{P: "\${QUOTED}"}], continueOn: {failure: true}}
---
name: kid
params: P=x
steps: ['true']
`)
    for (const [name, where] of [
      ['params', 'P'],
      ['json', 'Q'],
      ['items', 'item 2 of 2'],
      ['bare', 'item 1 of 1'],
      ['each', 'P, item 1 of 2'],
      ['nested', 'P'],
      ['map', 'item 1 of 1']
    ] as const)
      expect(run.node(name).error, name).to.equal(
        `params of a sub workflow hold a secret (${where}): name it under \`secrets\` of the sub workflow instead`
      )
    expect(live.engine.subRuns(run.run)).to.deep.equal([])
  })

  it('what is known of the secrets is masked in what fails before all of them are resolved, and after', async () => {
    writeFileSync(join(folder, 'early'), 'tulip-of-a-file')
    for (const [more, start] of [
      ['env: [{A: "`echo tulip-of-a-file >&2; exit 3`"}]', "field 'env': A"],
      ['env: [{A: tulip-of-a-file}]\n        workingDir: /dev/null/$A', '/dev/null'],
      ['ssh: {host: h, user: u, key: /none/$EARLY}', "field 'ssh': "]
    ] as const) {
      const run = await live.run(`
        ${more}
        secrets: [{name: EARLY, provider: file, key: ${folder}/early}]
        steps: [{name: never, command: "true"}]
      `)
      expect(run.status).to.equal('failed')
      expect(run.run.error).to.contain(start).and.contain(MASK)
      expect(run.run.error).to.not.contain('tulip-of-a-file')
      expect(textOf(run.run.log), start).to.contain(MASK).and.not.contain('tulip-of-a-file')
    }
  })
})
