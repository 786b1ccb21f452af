/** Params: declared, overridden, seen by steps. Source: execution-semantics 2. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('params', () => {
  const live = liveEngine()
  const show = 'steps: [{name: shows, command: "printf \'<%s>\' \\"$1\\" \\"${2}\\" \\"$3\\" \\"${NAME}\\""}]'

  it('2.1.3 a bare value is named by its position, counting all params; $3 stays empty', async () => {
    const run = await live.run(
      `params: one two NAME=x "q r"\nsteps: [{name: shows, command: 'printf "<%s>" "$1" "$2" "\${3}" "$4" "\${NAME}"'}]`
    )
    expect(run.out('shows')).to.equal('<one><two><><q r><x>')
    expect(run.run.params).to.deep.equal([
      { name: '1', value: 'one' },
      { name: '2', value: 'two' },
      { name: 'NAME', value: 'x' },
      { name: '4', value: 'q r' }
    ])
  })

  it('2.1.2 lists of maps and strings, and maps, keep the written order; 2.1.4 other scalars and nested values become text', async () => {
    const run = await live.run(`
      params:
        - A: 5
          B: true
        - bare C="x y"
        - D: {k: [1, null]}
        - E: 1.10
      steps:
        - {name: shows, command: 'printf "<%s>" "\${A}" "\${B}" "$3" "\${C}" "\${D}" "\${D.k}" "\${E}"'}
    `)
    expect(run.out('shows')).to.equal('<5><true><bare><x y><{"k":[1,null]}><[1,null]><1.10>')
  })

  it('2.1.5 values are evaluated left to right at start: earlier params, positions, DAG env, process environment, backticks; a later one is not visible', async () => {
    const run = await live.run(`
      env: [{E: env}]
      params: ["first", "A=\${LATER}x", "B=\${A}-$1-\${E}-\${HOME}", "C=\`printf '  %s  ' $B\`", "LATER=z"]
      steps:
        - {name: shows, command: 'printf "<%s>" "\${A}" "\${B}" "\${C}"'}
    `)
    const value = `x-first-env-${process.env.HOME}`
    expect(run.out('shows')).to.equal(`<x><${value}><${value}>`)
  })

  it('2.1.6 a failing substitution: the start is refused', async () => {
    const refused = await live
      .start('params: ["A=`exit 3`"]\nsteps: ["true"]', { name: 'refused' })
      .catch((error) => error)
    expect(refused).to.have.property('code', 'bad_request')
    expect(refused.message).to.contain("field 'params': invalid parameter value:").and.to.contain('exit status 3')
    expect(live.engine.runs({ name: 'refused' })).to.deep.equal([])
  })

  it('2.1.7 validating evaluates nothing and runs no command', async () => {
    const folder = temporaryFolder()
    const definition = await live.engine.validate(`
      params: ["A=\`touch ${folder}/a\`"]
      env: {B: "\`touch ${folder}/b\`"}
      steps: ["echo \`touch ${folder}/c\`"]
    `)
    expect(definition.problems).to.deep.equal([])
    expect(definition.plan?.params[0]?.value).to.equal(`\`touch ${folder}/a\``)
    expect(['a', 'b', 'c'].filter((name) => existsSync(join(folder, name)))).to.deep.equal([])
  })

  it('2.2.2 NAME=v replaces the default or is appended; 2.2.3 a bare value replaces the positional default of its number only', async () => {
    const spec = `params: one two NAME=default\n${show}`
    expect((await live.run(spec)).out('shows')).to.equal('<one><two><><default>')
    expect((await live.run(spec, { params: 'ONE' })).out('shows')).to.equal('<ONE><two><><default>')
    expect((await live.run(spec, { params: 'NAME=given OTHER=x bare' })).out('shows')).to.equal(
      '<one><two><bare><given>'
    )
  })

  it('2.2.1 a string wrapped whole in double quotes is unquoted first; 2.2.5 JSON objects and arrays', async () => {
    const spec = `params: one two NAME=default\n${show}`
    expect((await live.run(spec, { params: '"1=ONE NAME=n"' })).out('shows')).to.equal('<ONE><two><><n>')
    expect((await live.run(spec, { params: '"ONE TWO"' })).out('shows')).to.equal('<ONE TWO><two><><default>')
    expect((await live.run(spec, { params: '{"NAME": {"a": [1]}, "1": "x y"}' })).out('shows')).to.equal(
      '<x y><two><><{"a":[1]}>'
    )
    expect((await live.run(spec, { params: '["ONE", {"NAME": "n m"}]' })).out('shows')).to.equal('<ONE><two><><n m>')
  })

  it('2.2.4 defaults that referred to an overridden param are not re-evaluated', async () => {
    const run = await live.run('params: ["A=a", "NAME=${A}x"]\nsteps: [{name: shows, command: "echo ${NAME}"}]', {
      params: 'A=b'
    })
    expect(run.out('shows')).to.equal('ax\n')
  })

  it('2.2.6 values that come from a caller are not evaluated: no backticks, no $ expansion', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`workingDir: ${folder}\nparams: NAME=default\n${show}`, {
      params: 'NAME=`touch made` "$HOME ${PATH} `touch made`"'
    })
    expect(run.out('shows')).to.equal('<><$HOME ${PATH} `touch made`><><`touch made`>')
    expect(existsSync(join(folder, 'made'))).to.equal(false)
  })

  it('api-semantics 4.4 the command line has its params evaluated: backticks, variables, the defaults', async () => {
    const run = await live.run(`env: {E: env}\nparams: NAME=default\n${show}`, {
      params: 'NAME="`echo $E`-${NAME}" "$E"',
      evaluateParams: true
    })
    expect(run.out('shows')).to.equal('<><env><><env-default>')
  })

  it('2.4 process environment: one variable per param, positional ones too; scripts: $1 is replaced, \\$1 and ${1-} are left to the shell', async () => {
    const run = await live.run(`
      params: one NAME="a b"
      steps:
        - {name: environment, command: tr '\\0' '\\n' </proc/$$/environ | grep -E '^(1|NAME)=' | sort}
        - name: script
          script: |
            show() { echo "$1|\\$1|\${1-}|$NAME|$#"; }
            show inner more
    `)
    expect(run.out('environment')).to.equal('1=one\nNAME=a b\n')
    expect(run.out('script')).to.equal('one|$1|inner|a b|2\n')
  })
})
