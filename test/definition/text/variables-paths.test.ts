/** Paths into JSON values, and references to steps. Source: execution-semantics 3.2. */
import { expect } from 'chai'
import { expandField, expandShellText } from '../../../src/definition/text/variables.ts'
import { field, lookup } from './looked-up.ts'

describe('variables › JSON paths (3.2.1-3.2.3)', () => {
  const J = JSON.stringify({ a: { b: 'x', 'x y': 1 }, l: [1, 'two', [3]], t: true, z: null, s: 'short', __proto__x: 1 })
  const cases: [text: string, wanted: string][] = [
    ['${J.a.b}', 'x'],
    [
      '${J.l[0]} ${J.l[-1]} ${J.l[1:3]} ${J.l[1:]} ${J.l[:-1]} ${J.l[2][0]}',
      '1 [3] ["two",[3]] ["two",[3]] [1,"two"] 3'
    ],
    ['${J.a.["x y"]} ${J.a["x y"]} ${J.["t"]} ${J."s"}', '1 1 true short'],
    ['${L.[0].k} ${L.[-1].k}', 'v w'],
    ['$J.a.b and "$J.s", $J.s. $J.l[1].', 'x and "short", short. two.'],
    ['${L.}', '[{"k":"v"},{"k":"w"}]']
  ]
  for (const [text, wanted] of cases) {
    it(`3.2.1 ${text}`, async () => {
      expect(await field(text, { J, L: '[{"k":"v"},{"k":"w"}]' })).to.equal(wanted)
    })
  }
  it('3.2.2 string raw; number, boolean as JSON; object, array as compact JSON; null or missing empty', async () => {
    const text = '${J.s}|${J.t}|${J.l[0]}|${J.a}|${J.l}|${J.z}|${J.no}|${J.no.deeper[0]}|${J.l[9]}|${J.constructor}'
    expect(await field(text, { J })).to.equal('short|true|1|{"b":"x","x y":1}|[1,"two",[3]]|||||')
  })
  it('3.2.2 large integers keep all digits', async () => {
    const values = { J: '{"n": 123456789012345678901234567890, "o": {"f": 1.10, "e": 1e400}}' }
    expect(await field('${J.n} ${J.o}', values)).to.equal('123456789012345678901234567890 {"f":1.10,"e":1e400}')
  })
  it('of a key that is there twice the last counts, as in jq', async () => {
    expect(await field('${J.a}', { J: '{"a": 1, "a": 2}' })).to.equal('2')
  })
  it('3.2.3 text that is not JSON, or a path that does not parse: stays as written, one warning', async () => {
    const { look, warnings } = lookup({ X: 'plain', J })
    const text = '${X.a} ${J.a|keys} ${J.s.deeper}'
    expect(await expandField(text, look)).to.equal(text)
    expect(await expandShellText(text, look)).to.equal(text)
    expect(warnings.slice(0, 3)).to.deep.equal([
      '${X.a} is left as written: the value of X is not JSON',
      '${J.a|keys} is left as written: the path is not made of .key, [index] and [from:to]',
      '${J.s.deeper} is left as written: the path does not fit the value'
    ])
    expect(warnings.join()).not.to.contain('plain')
  })
  it('Choice: $NAME.path of a plain text is the variable followed by text', async () => {
    const { look, warnings } = lookup({ FILE: 'report', N: '5' })
    expect(await expandField('$FILE.txt $N.log', look)).to.equal('report.txt 5.log')
    expect(await expandShellText('cat $FILE.txt', look)).to.equal('cat report.txt')
    expect(await expandShellText('"$J." "$J"."x"', lookup({ J: '{}' }).look)).to.equal('"{}." "{}"."x"')
    expect(warnings).to.deep.equal([])
  })
  it('a JSON value of any depth cannot end the process', async () => {
    const { look } = lookup({ J: `${'['.repeat(200_000)}${']'.repeat(200_000)}` })
    expect(await expandField('${J.[0]}', look)).to.be.a('string')
  })
  it('3.2.1, 3.3.3 a path into a variable that is left to the shell is followed; the variable itself is not put in', async () => {
    const { look, warnings } = lookup({})
    const values: Record<string, string> = { J: '{"k":"v w","n":1}', FILE: 'report', N: '5', NULL: 'null' }
    const shell = { ...look, whole: (name: string) => values[name] }
    expect(await expandShellText('echo "${J.k}" $J.n $J "${J}" $FILE.txt $N.log $NULL.x', shell)).to.equal(
      'echo "v w" 1 $J "${J}" $FILE.txt $N.log $NULL.x'
    )
    const wrong = 'echo $J.no.deeper ${FILE.txt} ${J|keys}'
    expect(await expandShellText(wrong, shell)).to.equal('echo  ${FILE.txt} ${J|keys}')
    expect(warnings).to.deep.equal([])
    const secret = { ...shell, isSecret: (value: string) => value.includes('v w') }
    const refused = await expandShellText('echo ${J.k}', secret).catch(({ message }: Error) => message)
    expect(refused, 'no secret gets into a command line').not.to.contain('v w')
  })
  it('3.1.6 an undefined name with a path becomes empty in fields, stays in commands', async () => {
    const { look } = lookup({})
    expect(await expandField('<${NO.a}>', look)).to.equal('<>')
    expect(await expandShellText('${NO.a}', look)).to.equal('${NO.a}')
  })
})

describe('variables › step references (3.2.4-3.2.7)', () => {
  const steps = { build: { stdout: '/l/build.out', stderr: '/l/build.err', exitCode: '3' }, 'a-b': { stdout: '/l/ab' } }
  const expand = (text: string, values: Record<string, string> = {}) => expandField(text, lookup(values, steps).look)
  it('3.2.4 ${id.stdout} and ${id.stderr} are paths of log files, ${id.exitCode} and ${id.exit_code} the code', async () => {
    expect(
      await expand('${build.stdout} ${build.stderr} ${build.exitCode} ${build.exit_code} $build.exitCode')
    ).to.equal('/l/build.out /l/build.err 3 3 3')
  })
  it('3.2.5 slices: offset and length, both zero or greater', async () => {
    expect(await expand('${build.stdout:0:5}|${build.stdout:3}|${build.stdout:99}|${build.exitCode:0:1}')).to.equal(
      '/l/bu|build.out||3'
    )
    expect(await expand('${build.stdout:-3} ${build.stdout:0:-1}')).to.equal('${build.stdout:-3} ${build.stdout:0:-1}')
  })
  it('3.2.6 before the step ran all three stay as text', async () => {
    const text = '${later.stdout} ${later.stderr} ${later.exitCode} ${later.exit_code} ${a-b.exitCode}'
    expect(await expand(text)).to.equal(text)
    expect(await expandShellText(text, lookup({}, steps).look)).to.equal(text)
  })
  it('3.2.7 a step id wins over a variable of the same name for the three; other properties fall through', async () => {
    const build = '{"stdout": "no", "other": "yes"}'
    expect(await expand('${build.stdout} ${build.other} ${build}', { build })).to.equal(`/l/build.out yes ${build}`)
    expect(await expand('${json.stdout}', { json: build })).to.equal('no')
  })
  it('1.5.7 an id with a dash can be referenced', async () => {
    expect(await expand('${a-b.stdout}')).to.equal('/l/ab')
    expect(await expand('${no-b.txt}')).to.equal('b.txt')
  })
})
