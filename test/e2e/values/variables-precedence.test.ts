/** Which value of a variable wins, and who sees it. Source: execution-semantics 3.4. */
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'

describe('precedence and visibility of variables', () => {
  const live = liveEngine()

  it('3.4 step env, params, outputs, special variables, DAG env, base environment: highest first, for both expansion and environment', async () => {
    const run = await live.run(`
      env: [{A: dag}, {B: dag}, {C: dag}, {D: dag}, {DAG_RUN_STEP_NAME: dag}, {HOME: dag}]
      params: A=param B=param C=param
      steps:
        - name: makes
          command: echo output
          output: B
        - name: makes more
          command: echo output
          output: D
        - name: shows
          env: {A: step}
          command: echo "\${A} \${B} \${C} \${D} \${DAG_RUN_STEP_NAME} \${HOME}"; sh -c 'echo "$A $B $C $D $DAG_RUN_STEP_NAME $HOME"'
          script: ""
    `)
    const values = 'step param param output shows dag\n'
    expect(run.out('shows')).to.equal(values + values)
  })

  it('3.4 the nearest predecessor first when two steps use one output name', async () => {
    const run = await live.run(`
      steps:
        - {name: far, command: echo far, output: X}
        - {name: near, command: echo near, output: X}
        - {name: shows, command: 'echo \${X}'}
    `)
    expect(run.out('shows')).to.equal('near\n')
  })

  it('3.4.2 a later env entry replaces an earlier one; an entry may refer to its own earlier value; 3.4.5 step env sees earlier entries', async () => {
    const run = await live.run(`
      env:
        - PATH: "/first:\${PATH}"
        - PATH: "\${PATH}:/last"
        - SAME: one
        - SAME: "\${SAME} two"
        - "TEXT=k=v"
      steps:
        - name: shows
          env:
            - SAME: "\${SAME} three"
            - NEXT: "\${SAME} four"
          command: 'echo "$SAME|$NEXT|$TEXT|$PATH"'
    `)
    expect(run.out('shows')).to.equal(`one two three|one two three four|k=v|/first:${process.env.PATH}:/last\n`)
  })

  it('3.4.3 outputs are visible to transitive dependents only, plus all handlers', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: makes, command: echo value, output: X}
        - {name: direct, depends: makes, command: "true"}
        - {name: transitive, depends: direct, command: 'echo "<\${X:-}>"'}
        - {name: apart, command: 'echo "<\${X:-}>"'}
        - {name: later but apart, depends: apart, command: 'echo "<$X>"'}
      handlerOn:
        exit: {command: 'echo "<\${X}>"'}
    `)
    expect(run.out('transitive')).to.equal('<value>\n')
    expect(run.out('apart') + run.out('later but apart')).to.equal('<>\n<>\n')
    expect(run.out('onExit')).to.equal('<value>\n')
  })

  it('3.4.3 a step after a `depends: []` step in a chain has lost the path', async () => {
    const run = await live.run(`
      steps:
        - {name: makes, command: echo value, output: X}
        - {name: apart, depends: [], command: "true"}
        - {name: shows, command: 'echo "<$X>"'}
    `)
    expect(run.out('shows')).to.equal('<>\n')
  })

  it("3.4.4 a failed step's captured output is set and visible too", async () => {
    const run = await live.run(`
      steps:
        - {name: fails, command: 'echo value; exit 3', output: X, continueOn: {failure: true}}
        - {name: shows, command: 'echo "\${X}"'}
      handlerOn: {exit: 'echo "\${X}"'}
    `)
    expect(run.out('shows') + run.out('onExit')).to.equal('value\nvalue\n')
  })
})
