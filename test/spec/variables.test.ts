import { expect } from 'chai'
import fc from 'fast-check'
import {
  expandField,
  expandOwnText,
  expandRawText,
  expandShellText,
  type Lookup,
  withVariables
} from '../../src/spec/variables.ts'

/** A lookup of variables, with what it warned of and what commands it ran. */
function lookup(values: Record<string, string>, steps: Record<string, ReturnType<NonNullable<Lookup['step']>>> = {}) {
  const warnings: string[] = []
  const ran: string[] = []
  const look: Lookup = {
    variable: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
    step: (id) => steps[id],
    warn: (message) => warnings.push(message)
  }
  const running: Lookup = {
    ...look,
    substitute: async (command) => {
      ran.push(command)
      return `<${command}>`
    }
  }
  return { look, running, warnings, ran }
}

const field = (text: string, values: Record<string, string> = {}) => expandField(text, lookup(values).look)

describe('variables › syntax (3.1)', () => {
  it('3.1.1 ${NAME} and $NAME: letters, digits, _; a leading digit is allowed; names are case-sensitive', async () => {
    const values = { NAME: 'v', name: 'w', '1': 'one', A_b2: 'x' }
    expect(await field('${NAME}$name-$1/${1}.$A_b2!', values)).to.equal('vw-one/one.x!')
    expect(await field('$NAMEs|${NAME}s', values)).to.equal('|vs')
  })
  it('3.1.1 a $ that begins no reference is text', async () => {
    expect(await field('5$ $$ $? ${} ${a b} ${', {})).to.equal('5$ $$ $? ${} ${a b} ${')
  })
  it('3.1.2 `cmd` is run; empty backticks stay as is; an unclosed backtick stays as text', async () => {
    const { running, ran } = lookup({ X: 'v' })
    expect(await expandField('a `date +%F` b `` c ` d', running)).to.equal('a <date +%F> b `` c ` d')
    expect(ran).to.deep.equal(['date +%F'])
  })
  it('3.1.2 a failing command is an evaluation error', async () => {
    const look: Lookup = {
      variable: () => undefined,
      substitute: () => Promise.reject(new Error('failed to execute command "false": exit status 1'))
    }
    const failure = await expandField('`false`', look).catch((cause: unknown) => cause)
    expect(failure).to.be.an('error').with.property('message', 'failed to execute command "false": exit status 1')
  })
  it('3.1.2 references inside backticks are put in for the shell that runs them; undefined ones stay', async () => {
    const { running, ran } = lookup({ X: 'a"b' })
    await expandField('`echo "$X" $NOT \\` \\$X`', running)
    expect(ran).to.deep.equal(['echo "a\\"b" $NOT ` \\$X'])
  })
  it('3.1.2 without a way to run commands backticks are text', async () => {
    expect(await field('`a` \\` $X', { X: '1' })).to.equal('`a` \\` 1')
  })
  it('3.1.3 \\` is never a substitution', async () => {
    const { running, ran } = lookup({})
    expect(await expandField('\\`date\\`', running)).to.equal('`date`')
    expect(await expandShellText('echo \\`date\\` $X', running)).to.equal('echo \\`date\\` $X')
    expect(ran).to.deep.equal([])
  })
  it('3.1.3 \\$ is never an expansion: the backslash is removed in fields, kept in command and script', async () => {
    const { look } = lookup({ X: 'v' })
    expect(await expandField('\\$X \\${X} $X', look)).to.equal('$X ${X} v')
    expect(await expandShellText('\\$X "\\${X}" $X', look)).to.equal('\\$X "\\${X}" v')
    expect(await expandRawText('\\$X \\${X} $X', look)).to.equal('\\$X \\${X} v')
  })
  it('Choice: \\\\ is a pair that escapes nothing', async () => {
    const { look } = lookup({ X: 'v' })
    for (const expand of [expandField, expandShellText, expandRawText]) {
      expect(await expand('\\\\$X', look)).to.equal('\\\\v')
    }
  })
  it("3.1.4 '${X}' and '$X' (quotes touching the reference) are left alone", async () => {
    const { look } = lookup({ X: 'v' })
    for (const expand of [expandField, expandShellText, expandRawText]) {
      const text = `'\${X}' '$X' '\${X:-d}'`
      expect(await expand(text, look)).to.equal(text)
    }
    expect(await expandField(`'x\${X}' '$X y'`, look)).to.equal(`'xv' 'v y'`)
  })
  it('3.1.6 an undefined name becomes empty in fields, stays as text in command and script', async () => {
    const { look } = lookup({})
    expect(await expandField('a$X-${X}b', look)).to.equal('a-b')
    expect(await expandShellText('a$X-${X}b "$X"', look)).to.equal('a$X-${X}b "$X"')
    expect(await expandRawText('a$X-${X}b', look)).to.equal('a$X-${X}b')
  })
  it('3.1.8 replaced text is not scanned again', async () => {
    const { running, ran } = lookup({ A: '$B', B: '`id`', C: '${A}' })
    expect(await expandField('$A $B $C ${X:-$A}', running)).to.equal('$B `id` ${A} $B')
    expect(await expandRawText('$A $B $C', running)).to.equal('$B `id` ${A}')
    expect(ran).to.deep.equal([])
  })
  it('property: expandField never scans twice', async () => {
    const value = fc.stringMatching(/^[$`{}\\AB:.'"-]{0,12}$/)
    await fc.assert(
      fc.asyncProperty(value, value, async (a, b) => {
        const { running, ran } = lookup({ A: a, B: b })
        expect(await expandField('<${A}|$B|${A:-x}|${NO:-$B}>', running)).to.equal(`<${a}|${b}|${a || 'x'}|${b}>`)
        expect(ran).to.deep.equal([])
      }),
      { numRuns: 300 }
    )
  })
  it('property: expansion of any text ends and fails only by :?', async () => {
    const piece = fc.constantFrom(...'$ ${ } ` \\ \' " ( ) $( A .a : - # / % [ ] \n << EOF ; ? 1'.split(' '), ' ')
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const text = pieces.join('')
        const { running } = lookup({ A: '{"a":[1]}' })
        await expandShellText(text, running)
        await expandRawText(text, running)
        await expandField(text, running).catch((cause: unknown) => expect(String(cause)).to.match(/^Error: \w+: /))
      }),
      { numRuns: 1000 }
    )
  })
  it('ends in linear time on 250 KB of marks', async () => {
    const { running } = lookup({ A: '{}' })
    for (const mark of [
      '${',
      '${A:-',
      '${A.',
      '`',
      '\\`',
      '$(',
      '"$(',
      "'",
      '<<E\n',
      '<<E <<F\n',
      '(',
      '$A.a',
      '${A/',
      '#'
    ]) {
      const text = mark.repeat(Math.floor(250_000 / mark.length))
      for (const expand of [expandField, expandShellText, expandRawText]) await expand(text, running)
    }
  })
})

describe('variables › shell forms in fields (3.1.7)', () => {
  const values = { X: 'value', E: '', P: '/usr/lib/x.tar.gz', U: 'é😀b', N: '2' }
  const cases: [rule: string, text: string, wanted: string][] = [
    [':- gives the default when unset or empty', '${NO:-d} ${E:-d} ${X:-d}', 'd d value'],
    [':= gives the default and assigns nothing', '${NO:=d} ${NO}', 'd '],
    [':+ gives the alternative when set', '${X:+a}${E:+a}${NO:+a}', 'a'],
    [':? gives the value when there is one', '${X:?no}', 'value'],
    ['forms without a colon ask only whether it is set', '${NO-d}|${E-d}|${E+a}', 'd||a'],
    ['# counts characters', '${#X} ${#U} ${#NO}', '5 3 0'],
    ['# removes the shortest prefix, ## the longest', '${P#*/} ${P##*/}', 'usr/lib/x.tar.gz x.tar.gz'],
    ['% removes the shortest suffix, %% the longest', '${P%.*} ${P%%.*}', '/usr/lib/x.tar /usr/lib/x'],
    ['patterns know ?, [..], [!..] and \\', '${X#?a} ${X%[a-e]} ${X%[!a-e]} ${X#\\v}', 'lue valu value alue'],
    ['a pattern that matches nothing changes nothing', '${X#y} ${X%y} ${X#[z-a]}', 'value value value'],
    [
      '/ replaces the first match, // all',
      '${P/l/L} ${P//[.]/_} ${P/\\//|}',
      '/usr/Lib/x.tar.gz /usr/lib/x_tar_gz |usr/lib/x.tar.gz'
    ],
    ['/# and /% replace at the start and the end', '${X/#v/V} ${X/%e/E} ${X/#a/A}', 'Value valuE value'],
    ['a replacement is plain text', '${X/a/$N&\\\\1}', 'v2&\\\\1lue'],
    [
      ':offset:length takes characters',
      '${X:1:2} ${X:3} ${X:9}. ${U:1:1} ${X: -2} ${X: -2:1} ${X: -9}.',
      'al ue . 😀 ue u .'
    ],
    ['words are expanded', '${NO:-<$X>} ${NO:-${E:-${X}}} ${X:$N:1}', '<value> value l'],
    ['a word ends at its brace; \\} is one', '${NO:-a}b} ${NO:-a\\}b}', 'ab} a}b'],
    ['an offset that is no number leaves the reference', '${X:one} ${X:1:-1}', '${X:one} ${X:1:-1}']
  ]
  for (const [rule, text, wanted] of cases) {
    it(`3.1.7 ${rule}`, async () => {
      expect(await field(text, values)).to.equal(wanted)
    })
  }
  it('3.1.7 :? fails with its message when unset or empty', async () => {
    for (const [text, message] of [
      ['${NO:?want it}', 'NO: want it'],
      ['${E:?}', 'E: parameter null or not set']
    ] as const) {
      const failure = await field(text, values).catch((cause: unknown) => cause)
      expect(failure).to.be.an('error').with.property('message', message)
    }
  })
  it('3.1.7 shell forms are done by the shell in commands', async () => {
    const { look } = lookup({ X: 'v' })
    for (const text of ['${X:-d}', '"${X:?}" ${#X}', '${X%.*} ${NO:-$X} "${NO:-"$X"}"']) {
      expect(await expandShellText(text, look)).to.equal(text)
      expect(await expandRawText('${X:-d} ${#X}', look)).to.equal('${X:-d} ${#X}')
    }
  })
  it('3.1.7 only the word that is needed is evaluated', async () => {
    const { running, ran } = lookup({ X: 'v' })
    expect(await expandField('${X:-`no`} ${NO:-`yes`}', running)).to.equal('v <yes>')
    expect(ran).to.deep.equal(['yes'])
  })
})

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

describe('variables › other interpreters', () => {
  it('3.1.5 other interpreters get the value raw', async () => {
    const { look } = lookup({ X: `a"b'c\\` })
    expect(await expandRawText(`print("\${X}") # 'it' "$X"`, look)).to.equal(`print("a"b'c\\") # 'it' "a"b'c\\"`)
  })
  it('3.1.3 an executor that reads the text itself is no shell: the backslash is removed; the rest as for interpreters', async () => {
    const { look, running } = lookup({ X: 'a"b' })
    expect(await expandOwnText('\\$X \\${X} $X "\\\\$X" $NO ${NO:-d} \\(1)', look)).to.equal(
      '$X ${X} a"b "\\\\a"b" $NO ${NO:-d} \\(1)'
    )
    expect(await expandOwnText('\\`a\\` `b`', running)).to.equal('`a` <b>')
  })
  it('backticks are text unless commands can be run', async () => {
    const { look, running } = lookup({ X: '1' })
    expect(await expandRawText('`${X}`', look)).to.equal('`1`')
    expect(await expandRawText('`a`', running)).to.equal('<a>')
  })
})

describe('variables › withVariables', () => {
  it('finds its variables first, and those that are added later', async () => {
    const { running } = lookup({ A: '1', B: '2' }, { s: { stdout: '/p' } })
    const own = new Map([['A', 'own']])
    const look = withVariables(running, own)
    own.set('C', '3')
    expect(await expandField('$A $B $C ${s.stdout} `x`', look)).to.equal('own 2 3 /p <x>')
  })
})
