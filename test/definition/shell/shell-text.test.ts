import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Lookup } from '../../../src/definition/text/lookup.ts'
import { expandShellText } from '../../../src/definition/text/variables.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { ofAll } from '../../support/long.ts'

const lookup = (values: Record<string, string>): Lookup => ({
  variable: (name) => (Object.hasOwn(values, name) ? values[name] : undefined)
})
const expand = (text: string, values: Record<string, string>) => expandShellText(text, lookup(values))

const SHELLS = ['sh', 'bash']
/** What real shells print for the expanded text. Their environment holds none of the values. */
async function printed(text: string, values: Record<string, string>): Promise<string[]> {
  const script = await expand(text, values)
  const run = (shell: string) =>
    execFileSync(shell, ['-c', script], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe']
    })
  return SHELLS.map(run)
}

/** The same with each of these values as `X`, for each shell: from one small process, which starts them in a tenth of the time. */
async function printedOfEach(text: string, values: readonly string[]): Promise<string[][]> {
  const folder = temporaryFolder()
  for (const [at, X] of values.entries()) writeFileSync(join(folder, String(at)), await expand(text, { X }))
  return SHELLS.map((shell) => {
    const each = values.map((_, at) => `${shell} ${at}; printf '\\0'`).join('\n')
    const out = execFileSync('sh', ['-c', each], { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } })
    return out.split('\0').slice(0, -1)
  })
}

const NASTY = [
  `say "hi"`,
  `it's`,
  '$HOME ${HOME} $(echo ran) $',
  '`echo ran`',
  'two\nlines\n\nand more',
  'back\\slash \\" \\$ \\\\ \\n \\',
  '"; echo ran; "',
  '!history #not a comment * ? [a] ~ {a,b} | & ; < >',
  'EOF',
  '\tEOF\nEOF\necho ran',
  '',
  ' blanks  around ',
  '{"a": "b c", "d": [1, "\\n"]}',
  'é😀'
]

describe('shell text › inside double quotes the value arrives unchanged (3.1.5)', () => {
  const places: [where: string, text: string][] = [
    ['exactly filled', `printf %s "\${X}"`],
    ['$NAME', `printf %s "$X"`],
    ['amid text', `printf '%s' "<\${X}>" | sed 's/^<//' | sed '$s/>$//' | { cat; }`],
    ['inside $( ) inside double quotes', `printf %s "$(printf '%s.' "\${X}")" | sed '$s/[.]$//'`],
    ['after an apostrophe in double quotes', `: "it's"; printf %s "\${X}"`],
    ['after an apostrophe in a comment', `: a # don't\nprintf %s "\${X}"`],
    ['after a quote in a here-document', `cat >/dev/null <<EOF\nit's "\nEOF\nprintf %s "\${X}"`],
    ['after an escaped quote', `: \\" \\'; printf %s "\${X}"`],
    ['after $#, $$ and ${#...}', `: $# $$ \${#PATH} \${PATH#a"b"}; printf %s "\${X}"`],
    ['after a shift', `: $((1 << 2))\nprintf %s "\${X}"`],
    ['after backticks in double quotes', `printf %s "\`printf ''\`\${X}"`],
    ['after a quoted default', `: "\${NO:-"it is"}" \${NO:-'}'}; printf %s "\${X}"`],
    ['right after a name that is left to the shell', `V=; printf %s "$V\${X}"; printf %s "$V\${EMPTY}"$V$EMPTY"$V"`],
    ['after an arithmetic base and a case', `case a in a) : ;; esac; : $((0x10)); printf %s "\${X}"`]
  ]
  for (const [where, text] of places) {
    it(where, async () => {
      // A command substitution drops newlines at the end; `sed` adds none. No value ends in one.
      for (const outs of await printedOfEach(text, NASTY))
        expect(outs.map((out) => out.replace(/\n$/, ''))).to.deep.equal(NASTY)
    })
  }
  it('inside the own backticks of a shell', async () => {
    const text = `echo "$(printf '%s.' "a")" \`printf %s "\${X}" | od -An -tx1 | tr -d ' \\n'\``
    const wanted = NASTY.map((value) => `a. ${Buffer.from(value).toString('hex')}`.trim())
    for (const outs of await printedOfEach(text, NASTY)) expect(outs.map((out) => out.trim())).to.deep.equal(wanted)
  })
  it('property: any value, in real shells', async () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[$`"'\\\n a{}()!#]{0,12}$/))
    const clean = value.filter((text) => !text.includes('\0') && Buffer.from(text).toString() === text)
    await fc.assert(
      fc.asyncProperty(fc.array(clean, { minLength: 10, maxLength: 40 }), async (values) => {
        const text = values.map((_, i) => `printf '%s\\0' "\${V${i}}" "a$V${i}" "$(printf %s "$V${i}.")"`).join('\n')
        const wanted = values.map((each) => `${each}\0a${each}\0${each}.\0`).join('')
        for (const out of await printed(text, Object.fromEntries(values.map((each, i) => [`V${i}`, each])))) {
          expect(out).to.equal(wanted)
        }
      }),
      { numRuns: ofAll(4, 20) }
    )
  })
})

describe('shell text › elsewhere', () => {
  it('3.1.5 unquoted it is inserted raw, so command: ${CMD} runs a whole command line', async () => {
    expect(await expand('${CMD}', { CMD: 'echo "a  b" | cat' })).to.equal('echo "a  b" | cat')
    expect(await printed('${CMD}', { CMD: 'echo "a  b" | cat' })).to.deep.equal(['a  b\n', 'a  b\n'])
  })
  it("3.1.5 inside single quotes that do not touch the reference it is inserted raw: 'x${X}'", async () => {
    expect(await expand(`echo 'x\${X}' '$X y' $'\\'$X"'`, { X: '"$' })).to.equal(`echo 'x"$' '"$ y' $'\\'"$"'`)
  })
  it('3.1.8 replaced text is not scanned again', async () => {
    expect(await expand('$A "$A"', { A: '$B', B: 'no' })).to.equal('$B "\\$B"')
  })
  it('$$, $? and $# keep their meaning for the shell', async () => {
    expect(await expand('echo $$X $?X $#X "$$X"', { X: 'v' })).to.equal('echo $$X $?X $#X "$$X"')
  })
  it('$1 and a JSON path are replaced though no shell would know them', async () => {
    expect(await expand('echo "$1 ${J.k}" $1', { '1': 'a"', J: '{"k":"`"}' })).to.equal('echo "a\\" \\`" a"')
  })
  it('4.3.3 the shebang line is expanded, a comment is left to the shell', async () => {
    expect(await expand('#!/usr/bin/env $X\n# $X\necho $X#$X', { X: 'v' })).to.equal('#!/usr/bin/env v\n# $X\necho v#v')
  })
  it('Choice: a value in a here-document arrives unchanged and cannot end it', async () => {
    const wanted = NASTY.map((value) => `${value}\n<${value}>\n${value}\n`)
    for (const open of ['<<EOF', '<<-EOF', '<< EOF']) {
      const text = `cat ${open} | cat\n\${X}\n<$X>\nEOF\nprintf '%s\\n' "$X"`
      for (const outs of await printedOfEach(text, NASTY)) expect(outs).to.deep.equal(wanted)
    }
  })
  it('Choice: in a here-document with a quoted delimiter it is inserted raw', async () => {
    const text = `cat <<\\G - <<'E"F'\nno\nG\nit's $X \`$NO\`\nE"F\nprintf %s "$X"`
    expect(await expand(text, { X: '"$' })).to.equal(
      text.replace("it's $X", () => `it's "$`).replace('"$X"', () => '"\\"\\$"')
    )
  })
  it('3.1.3 \\$ is never an expansion, in single quotes and quoted here-documents neither; the backslash is kept', async () => {
    const text = `sed 's/\\$X/\\\${X}/' '\\' "$X" <<'EOF'\n\\$X \\'\nEOF\necho $'\\$X'`
    expect(await expand(text, { X: 'v' })).to.equal(text.replace('"$X"', '"v"'))
  })
  it('Choice: \\\\ is a pair there too, so that what follows is a reference', async () => {
    expect(await expand(`'\\\\$X' <<'E'\n\\\\$X\nE`, { X: 'v' })).to.equal(`'\\\\v' <<'E'\n\\\\v\nE`)
  })
  it('reads two here-documents of one line', async () => {
    const text = `cat <<A; cat <<B\n'$X\nA\n"$X\nB\nprintf %s "$X"`
    expect(await printed(text, { X: '"' })).to.deep.equal([`'"\n""\n"`, `'"\n""\n"`])
  })
  it('<<< and << in arithmetic open no here-document', async () => {
    expect(await expand('cat <<< "$X"\n(( 1<<X ))\necho "$X"', { X: '"' })).to.equal(
      'cat <<< "\\""\n(( 1<<X ))\necho "\\""'
    )
  })
  it('an apostrophe in a quoted default is text, as for sh', async () => {
    expect(await expand(`: "\${NO:-it's}" "$X"`, { X: '"' })).to.equal(`: "\${NO:-it's}" "\\""`)
  })
  it('a text without references is given back as it is', async () => {
    expect(await expand(`echo "it's" \`date\``, {})).to.equal(`echo "it's" \`date\``)
  })
})

describe('shell text › backticks', () => {
  const ran: string[] = []
  const look: Lookup = {
    variable: (name) => (name === 'X' ? 'v' : undefined),
    substitute: async (command) => {
      ran.push(command)
      return `a"$b`
    }
  }
  it('3.3 command: replaced outside single quotes, by the quoting around them', async () => {
    expect(await expandShellText('echo `one $X` "`two`" \'`three`\' `` `', look)).to.equal(
      'echo a"$b "a\\"\\$b" \'`three`\' `` `'
    )
    expect(ran.splice(0)).to.deep.equal(['one v', 'two'])
  })
  it('3.3 script: backticks belong to the shell, variables in them are replaced', async () => {
    const { variable } = look
    expect(await expandShellText('echo `echo $X`', { variable })).to.equal('echo `echo v`')
  })
  it('inside ${...} they are the shell’s', async () => {
    expect(await expandShellText('echo ${NO:-`date`} "$X"', look)).to.equal('echo ${NO:-`date`} "v"')
    expect(ran).to.deep.equal([])
  })
})

describe('shell text › a name that is left to the shell does not take up a value that follows it (3.1.5, 3.3.3)', () => {
  it('in double quotes, unquoted, in backticks, in a here-document, before an empty value', async () => {
    const values = { NAME: 'web', N: '1', NONE: '' }
    const cases: [text: string, wanted: string][] = [
      ['V=a-; echo $V${NAME} $V$NAME "$V${NAME}" "$V$NAME" $V$N "$V"${NAME}', 'a-web a-web a-web a-web a-1 a-web'],
      ['V=a-; echo "$V${NONE}b" $V${NONE}b', 'a-b a-b'],
      ['V=a-; echo `echo $V${NAME}` "`echo "$V$NAME"`" "$(echo "$V${NAME}")"', 'a-web a-web a-web'],
      ['V=a-; cat <<E\n$V${NAME} $V$NAME\nE', 'a-web a-web'],
      [`V=a-; echo '$V'\${NAME} '$V \${NAME}' \\$V\${NAME} "\\$V\${NAME}"`, '$Vweb $V web $Vweb $Vweb'],
      ['set -- x; echo $1${N} $1$NAME $#${N} $?${N}', 'x1 xweb 11 01']
    ]
    for (const [text, wanted] of cases)
      for (const out of await printed(text, values)) expect(out.trim(), text).to.equal(wanted)
  })
})
