/** References into JSON values, and to steps that ran before. Source: execution-semantics 3.2, 1.5.7. */
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'

describe('variables in the fields of a step', () => {
  const live = liveEngine()

  it('3.2 JSON paths: string raw, number and boolean as JSON, object and array compact, null and missing empty', async () => {
    const json =
      '{"a":{"b":"text","n":12345678901234567890,"t":true,"o":{"x":[1,2]},"z":null},"l":["p",{"q":"r"}],"x y":"blank"}'
    const run = await live.run(`
      steps:
        - name: makes
          script: |
            cat <<'END'
            ${json}
            END
          output: DATA
        - name: shows
          command: printf '%s|' "\${DATA.a.b}" "\${DATA.a.n}" "\${DATA.a.t}" "\${DATA.a.o}" "\${DATA.a.z}" "\${DATA.no}"
            "\${DATA.l[0]}" "\${DATA.l[-1].q}" "\${DATA.l[1:2]}" "$DATA.a.b" "\${DATA.["x y"]}" "\${DATA.a}"
        - name: not JSON
          env: {E: "\${PLAIN.a}"}
          command: printenv E
      params: PLAIN=text
    `)
    expect(run.out('shows')).to.equal(
      'text|12345678901234567890|true|{"x":[1,2]}|||p|r|[{"q":"r"}]|text|blank|{"b":"text","n":12345678901234567890,"t":true,"o":{"x":[1,2]},"z":null}|'
    )
    expect(run.out('not JSON'), '3.2.3 the reference stays as written').to.equal('${PLAIN.a}\n')
    expect(textOf(run.run.log), 'one warning in the run log').to.match(/level=WARN.*\$\{PLAIN\.a\}/)
  })

  it('3.2.8 a reference to a step that is no predecessor logs a warning, once per node; others log none', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: first, id: behind, command: echo out}
        - {name: between, depends: first, command: "true"}
        - {name: apart, id: beside, command: echo out}
        - name: refers
          id: self
          depends: between
          env: {E: "\${beside.stdout} \${behind.stdout}"}
          command: echo "\${beside.exitCode} \${behind.exitCode} \${self.stdout}"; exit 1
          retryPolicy: {limit: 2}
          continueOn: {failure: true, markSuccess: true}
        - {name: last, id: after, depends: refers, command: 'echo "\${self.exitCode} \${after.stdout} \${beside.stdout}"'}
      handlerOn: {exit: 'cat "\${beside.stdout}"'}
    `)
    expect(run.out('onExit')).to.equal('out\n')
    const warned = Array.from(
      textOf(run.run.log).matchAll(
        /msg="the step with the id (\w+) is referred to, and is no predecessor" step=(\w+)/g
      ),
      ([, id, step]) => `${step}: ${id}`
    )
    expect(warned.sort()).to.deep.equal(['last: beside', 'refers: beside'])
  })
})
