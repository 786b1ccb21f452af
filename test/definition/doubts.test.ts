import { expect } from 'chai'
import { doubts, unknownNames } from '../../src/definition/doubts.ts'
import { readDefinition } from '../../src/definition/read.ts'
import { shellNames } from '../../src/definition/shell/shell-names.ts'
import { fixture } from '../golden/cases.ts'
import { formatCases } from '../support/format/format-case.ts'
import { growth, LINEAR } from '../support/processor-time.ts'

const planOf = (text: string) => {
  const { plan, problems } = readDefinition(text, { fallbackName: 'doubted' })
  if (plan) return plan
  throw new Error(problems.map(({ message }) => message).join('; '))
}
const told = (text: string, given?: string[], known: string[] = []) =>
  doubts(planOf(text), (name) => known.includes(name), given)

describe('doubts › a mail that cannot be sent', () => {
  it('is reported with what asks for it and what is missing', () => {
    expect(told('mailOn: {failure: true, success: true}\nsteps: [{command: a, mailOnError: true}]')).to.deep.equal([
      'mailOn.failure: no mail can be sent without errorMail.from, errorMail.to, smtp, here or in the base configuration',
      'mailOn.success: no mail can be sent without infoMail.from, infoMail.to, smtp, here or in the base configuration',
      'mailOnError of step cmd_1: no mail can be sent without errorMail.from, errorMail.to, smtp, here or in the base configuration'
    ])
    expect(
      told('mailOn: {failure: true}\nerrorMail: {from: a@example.org, to: b@example.org}\nsteps: [a]')
    ).to.deep.equal(['mailOn.failure: no mail can be sent without smtp, here or in the base configuration'])
  })
  it('is none where none is asked for, or all is there', () => {
    const mail = '{from: a@example.org, to: b@example.org}'
    expect(told(`errorMail: ${mail}\nsteps: [a]`)).to.deep.equal([])
    expect(
      told(`smtp: {host: h}\nmailOn: {failure: true, success: true}\nerrorMail: ${mail}\ninfoMail: ${mail}\nsteps: [a]`)
    ).to.deep.equal([])
  })
})

describe('doubts › a variable that nothing defines', () => {
  it('is reported with the step and with what may be meant, once for each name', () => {
    expect(told('params: NAME=world\nsteps:\n- {name: greet, command: "echo ${NAEM} $NAEM"}')).to.deep.equal([
      'step greet: nothing defines NAEM; did you mean NAME?'
    ])
    expect(
      told('env: {A: "${OTHER}/x"}\nparams: ["B=$AA"]\nhandlerOn: {exit: "echo $STATUS_OF"}\nsteps: [echo]')
    ).to.deep.equal([
      'env A: nothing defines OTHER',
      'param B: nothing defines AA',
      'step onExit: nothing defines STATUS_OF'
    ])
    expect(told('steps:\n- {name: a, dir: "/x/$D1", stdout: "${O}", env: {E: "${F.g}"}, command: x}')).to.deep.equal([
      'step a: nothing defines D1',
      'step a: nothing defines O',
      'step a: nothing defines F'
    ])
  })
  it('is none where something defines it: params, env, outputs, secrets, steps, the environment, the start', () => {
    const text = `
env: [{E: e}]
params: [P: p, "first"]
secrets: [{name: S, provider: env, key: K}]
handlerOn: {exit: "echo $DAG_RUN_STATUS $OUT"}
steps:
- {id: one, name: first, env: {OWN: "$E"}, command: "echo $OWN $E $P $1 $S $HOME $PATH", output: OUT}
- {command: "echo \${OUT.k} \${one.exitCode} \${one.stdout} $DAG_NAME $ENGINE_X $LC_ALL $PWD $USER $GIVEN $?$$ $#"}
- {call: kid, parallel: [a], params: {IN: "$ITEM"}}
---
name: kid
steps: ["echo $IN $P"]
`
    expect(told(text, ['GIVEN'], ['USER'])).to.deep.equal([])
    expect(told(text)).to.deep.equal(['step cmd_2: nothing defines USER', 'step cmd_2: nothing defines GIVEN'])
  })
  it('is none where a function of the host application names the variables of the step', () => {
    expect(
      told("steps:\n- {name: a, command: 'print $ADDRESS', functions: {env: order/label#env}}\n- echo $ELSE")
    ).to.deep.equal(['step cmd_2: nothing defines ELSE'])
  })
  it('is none where the text sets it itself, or something out of sight may', () => {
    for (const text of [
      'for f in *; do echo $f; done',
      'while read -r line rest; do echo "$line $rest"; done',
      'x=1; echo $x ${x}',
      'local y; y=$(date); echo "$y"',
      'printf -v z %s a; echo $z',
      'getopts ab opt; case $opt in a) : ;; esac',
      '. ./vars.sh; echo $A',
      'source vars && echo $A',
      'eval "$(direnv)"; echo $A',
      'set -a; echo $A',
      "awk '{print $NF, $x}' f",
      "echo 'it is $A' \"$(echo '$B')\"",
      'echo "it\'s" # $A',
      'echo \\$A ${A:-none} ${A:+x} ${#A}',
      "cat <<'E'\n$A\nE",
      'echo $RANDOM $HOSTNAME $BASH_VERSION $UID $$ $1 ${10} $@ $*'
    ])
      expect(
        shellNames(text).filter((name) => !/^(RANDOM|HOSTNAME|BASH_VERSION|UID|\d+)$/.test(name)),
        text
      ).to.deep.equal([])
    const text = 'echo "a $A (b" ${B} "$(echo $C "$D")" "it\'s $E" \'no $N\' "\'$F\'" x#$G'
    expect(shellNames(text)).to.deep.equal(['A', 'B', 'C', 'D', 'E', 'F', 'G'])
  })
  it('other languages, executors and shells are passed over', () => {
    for (const step of [
      '{script: "#!/usr/bin/env python3\\nprint($x)"}',
      '{command: "perl -", script: "print $x"}',
      '{shell: python3, command: "$x"}',
      '{shell: bash -l, command: "echo $x"}',
      '{shell: nix-shell, command: "echo $out"}',
      '{executor: jq, command: ". as $x | $x", script: "{}"}',
      '{executor: {type: ssh, config: {user: u, host: h}}, command: "echo $x"}',
      '{executor: {type: docker, config: {image: i}}, command: "echo $x"}'
    ])
      expect(told(`steps: [${step}]`), step).to.deep.equal([])
    expect(told('steps: [{script: "#!/bin/bash\\necho $x"}]')).to.have.length(1)
  })
  it('the examples have none', () => {
    for (const name of ['backup', 'git-report', 'log-analysis'])
      expect(unknownNames(planOf(fixture(`examples/${name}.yaml`))), name).to.deep.equal([])
  })
})

describe('doubts › a parameter that is not declared', () => {
  it('is reported with what may be meant, or with what there is', () => {
    const text = 'params: NAME=world COUNT=1\nsteps: [{name: a, command: "echo ${NAME} ${COUNT}"}]'
    expect(told(text, ['NAEM'])).to.deep.equal([
      'the parameter NAEM is not declared, and nothing refers to it; did you mean NAME?'
    ])
    expect(told(text, ['1', 'OTHER'])).to.deep.equal([
      'the parameter 1 is not declared, and nothing refers to it; it has NAME, COUNT',
      'the parameter OTHER is not declared, and nothing refers to it; it has NAME, COUNT'
    ])
    expect(told('steps: [echo]', ['X'])).to.deep.equal([
      'the parameter X is not declared, and nothing refers to it; the definition has none'
    ])
  })
  it('is none when something mentions it, or a schema may know it', () => {
    expect(
      told('steps: [{script: "#!/usr/bin/env python3\\nimport os\\nprint(os.environ[\'X\'])"}]', ['X'])
    ).to.deep.equal([])
    expect(told('steps: ["echo $1 ${2}"]', ['1', '2'])).to.deep.equal([])
    expect(told('params: {schema: s.json}\nsteps: [echo]', ['X'])).to.deep.equal([])
  })
})

describe('doubts › in all', () => {
  it('a definition without steps is reported', () => {
    expect(told('{}')).to.deep.equal(['the definition has no steps: a run of it does nothing'])
    expect(told('handlerOn: {exit: x}')).to.deep.equal(['the definition has no steps, only handlers'])
    expect(told('steps: [x]')).to.deep.equal([])
  })
  it('at most twenty are reported', () => {
    const many = Array.from({ length: 30 }, (_, index) => `$V${index}`).join(' ')
    expect(told(`steps: ["echo ${many}"]`))
      .to.have.length(21)
      .and.include('and 10 more like these')
  })
  it('looks at the largest texts in linear time', async () => {
    const texts: ((size: number) => string)[] = [
      (size) => 'echo "$A" \'b\' ${C} $(d) # '.repeat(size / 10),
      (size) => '"$('.repeat(size),
      (size) => "$A'".repeat(size),
      (size) => `"${'#'.repeat(2 * size)}${"'".repeat(2 * size)}$A`
    ]
    for (const text of texts) expect(await growth((size) => shellNames(text(size)), 20_000)).to.be.below(LINEAR)
    const names = (count: number) => {
      const hostile = Array.from({ length: count }, (_, index) => `NAME${index}${'x'.repeat(50)}`)
      const given = [...hostile, 'z'.repeat(60 * count)]
      told(`params: ${hostile.map((name) => `${name}y=1`).join(' ')}\nsteps: [x]`, given)
    }
    expect(await growth(names, 100)).to.be.below(LINEAR)
  })
  it('of the cases of the format those alone have doubts that are about undefined names, or of which a part is not looked at here', () => {
    const doubted = formatCases().flatMap(({ name, start }) => {
      const { plan } = readDefinition(fixture(`format/${name}/dag.yaml`), { fallbackName: 'doubted' })
      if (!plan) return []
      const given = /^[[{]/.test(start.params ?? '') ? Object.keys(JSON.parse(start.params ?? '')) : []
      const sentences = doubts(plan, (one) => one.startsWith('FIXTURE'), given)
      return sentences.some((one) => !/^the definition has no steps|no mail can be sent/.test(one)) ? [name] : []
    })
    expect(doubted).to.deep.equal([
      '1.2.1-base-under-every-document',
      '1.2.2-lists-are-appended',
      '2.2.2-unknown-is-appended',
      '2.2.5-json-array',
      '3.1.1-case-sensitive',
      '3.1.6-undefined-in-a-command',
      '3.1.6-undefined-in-a-field',
      '3.1.7-shell-forms-in-fields',
      '3.5.1-everywhere',
      '3.7.1-default-file',
      '3.7.1-first-that-exists',
      '3.7.2-working-directory',
      '3.7.3-syntax',
      '5.6.3-empty-value',
      '9.4.6-no-items'
    ])
  })
})
