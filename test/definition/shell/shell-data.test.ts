import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { ShellReader } from '../../../src/definition/shell/shell.ts'
import { isFoundByShell } from '../../../src/definition/shell/shell-values.ts'
import type { Lookup } from '../../../src/definition/text/lookup.ts'
import { expandCommand, expandShellText } from '../../../src/definition/text/variables.ts'
import { shellQuote } from '../../../src/platform/shell/shell-word.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { ofAll } from '../../support/long.ts'

const SHELLS = ['sh', 'bash']

/** All values are data. */
const lookup = (values: Record<string, string>): Lookup => ({
  variable: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
  isData: (name) => Object.hasOwn(values, name),
  isExported: isFoundByShell
})
const expand = (text: string, values: Record<string, string>, reader?: ShellReader) =>
  expandShellText(text, lookup(values), reader)

function said(shell: string, script: string, env: Record<string, string>): string {
  try {
    return execFileSync(shell, ['-c', script], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', 'pipe', 'pipe']
    })
  } catch (error) {
    return String((error as { stdout?: string }).stdout)
  }
}
/** What shells print: one that has the variables in its environment, and one that does not, as on another machine. */
async function printed(text: string, values: Record<string, string>, shells = SHELLS): Promise<string[]> {
  const here = await expand(text, values)
  const away = await expand(text, values, 'away')
  return shells.flatMap((shell) => [said(shell, here, values), said(shell, away, {})])
}

interface Try {
  shell: string
  script: string
  env: Record<string, string>
}
/** Runs one after the other, from a small process, which starts them in a tenth of the time. @returns numbers of those that made the file */
function tried(tries: readonly Try[], file: string): number[] {
  const folder = temporaryFolder()
  const lines = tries.map(({ shell, script, env }, number) => {
    const path = join(folder, String(number))
    writeFileSync(path, script)
    const variables = Object.entries(env).map(([name, value]) => `${name}=${shellQuote(value)}`)
    return `env -i PATH="$PATH" LANG=C.UTF-8 ${variables.join(' ')} ${shell} ${path} >/dev/null 2>&1; [ ! -e ${file} ] || { echo ${number}; rm -f ${file}; }`
  })
  writeFileSync(join(folder, 'all'), lines.join('\n'))
  const output = execFileSync('sh', [join(folder, 'all')], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit']
  })
  return output.split('\n').filter(Boolean).map(Number)
}

describe('shell text › data stays data (3.1.5)', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'ran')
  const PAYLOADS = [
    `; touch ${file}`,
    `$(touch ${file})`,
    `\`touch ${file}\``,
    `x\ntouch ${file}\n`,
    `| touch ${file}`,
    `& touch ${file} &`,
    `&& touch ${file}`,
    `> ${file}`,
    `<(touch ${file})`,
    `'; touch ${file}; '`,
    `"; touch ${file}; "`,
    `\\'; touch ${file} #`,
    `E\ntouch ${file}\nE`,
    `\tE\ntouch ${file}`,
    `)$(touch ${file})(`,
    `}; touch ${file}; {`,
    `esac; touch ${file}`,
    `a[$(touch ${file})]`,
    `$'; touch ${file}`
  ]
  const places: [where: string, text: string, shells?: string[]][] = [
    ['unquoted', 'echo ${X}'],
    ['$NAME before text', 'echo $X text'],
    ['next to other values', 'echo a${X}b$X$X'],
    ['where a command stands', '${X} || :'],
    ['as the words of a loop', 'for f in ${X}; do echo "$f"; done'],
    ['in an assignment', 'Y=${X}; echo "$Y"'],
    ['in $( ), in double quotes too', 'echo $(echo ${X}) "$(echo ${X})"'],
    ['in the own backticks of the shell', 'echo `echo ${X}` "`echo ${X}`"'],
    ['in a case', 'case a in ${X}) echo y;; *) echo ${X};; esac'],
    ['in a case within "$( )"', 'echo "$(case a in a) echo ${X};; b) : ;; esac)${X}"'],
    ['in cases within cases', 'echo "$(case a in (a) case b in b) echo ${X};; esac; echo ${X};; esac; echo ${X})"'],
    ['after words that look like a case', 'echo case esac in; echo "$(echo case) ${X}" ${X}'],
    ['in a file name', 'echo a > ./${X} || :'],
    ['in single quotes', "echo 'a ${X}' 'b $X c'"],
    ['in single quotes in backticks', "echo `echo 'a ${X} b'`"],
    ['in double quotes', 'echo "${X}" "$X" "a ${X}"'],
    ['in a here-document', 'cat <<E\n${X}\nE\necho over'],
    ['in one with a quoted delimiter', "cat <<'E'; cat <<-\\E\nit's ${X}\n${X}\nE\n\t$X\n\tE\necho ${X}"],
    ['in one with a quoted delimiter, put together', "cat <<'E'\n${E}${X}\nE\necho over"],
    ['in a comment', ': # ${X}\necho over'],
    ['in a default', 'echo ${NO:-${X}} "${NO:-$X}"'],
    ["in $'...'", "echo $'a ${X}'", ['bash']],
    ['in a here-string', 'cat <<< ${X}', ['bash']],
    ['in [[ ]]', '[[ ${X} == a || a == ${X} ]] || echo no', ['bash']],
    ['in an array', 'a=(${X} b); echo "${a[0]}"', ['bash']],
    ['in the text of another shell', 'sh -c "echo ${X}"; bash -ec \'echo a ${X}; echo "${X}"\''],
    ['quoted in the text of another shell', 'sh -c "echo \\"a ${X}\\" \'b ${X}\' \'${X}\' \\$(echo ${X})"']
  ]
  it('the tries can find something: a value that is put in as it is runs', () => {
    const scripts = PAYLOADS.map((value) => `echo ${value}`)
    const made = tried(
      scripts.map((script) => ({ shell: 'bash', script, env: {} })),
      file
    )
    expect(made).to.have.length.above(PAYLOADS.length / 2)
  })
  for (const [where, text, shells] of places) {
    it(`never a command, an operator, a substitution: ${where}`, async () => {
      const tries: Try[] = []
      for (const value of PAYLOADS) {
        const values = { X: value, E: '' }
        const here = await expand(text, values)
        const away = await expand(text, values, 'away')
        for (const shell of shells ?? SHELLS) {
          tries.push({ shell, script: here, env: values })
          tries.push({ shell, script: away, env: {} })
        }
      }
      expect(tried(tries, file).map((number) => tries[number])).to.deep.equal([])
    })
  }

  it('it is split and matched as any $X of a shell: for f in ${FILES} works over several lines', async () => {
    const FILES = 'a.csv b.csv\nc d;e\n*.none'
    for (const out of await printed('for f in ${FILES}; do echo "[$f]"; done', { FILES }))
      expect(out).to.equal('[a.csv]\n[b.csv]\n[c]\n[d;e]\n[*.none]\n')
  })
  it('property: as a shell reads $X that holds the value', async () => {
    const value = fc
      .oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[$`"'\\\n a{}()!#;&|<>*?~=[\]]{0,12}$/))
      .filter((text) => !text.includes('\0') && Buffer.from(text).toString() === text)
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 5, maxLength: 20 }), async (values) => {
        const named = Object.fromEntries(values.map((each, index) => [`V${index}`, each]))
        const line = (of: (name: string) => string) =>
          values
            .map((_, i) => `printf '<%s>' ${of(`V${i}`)} a${of(`V${i}`)}; Y=${of(`V${i}`)}; printf '[%s]' "$Y"`)
            .join('\n')
        const text = `set -f\n${line((name) => `\${${name}}`)}`
        for (const shell of SHELLS) {
          const wanted = said(shell, `set -f\n${line((name) => `$${name}`)}`, named)
          expect(said(shell, await expand(text, named), named)).to.equal(wanted)
          expect(said(shell, await expand(text, named, 'away'), {})).to.equal(wanted)
        }
      }),
      { numRuns: ofAll(4, 20) }
    )
  })
  it('a shell that has the variable is left the reference', async () => {
    expect(await expand('echo ${X} $X.b "$X"', { X: 'a;b' })).to.equal('echo ${X} ${X}.b "a;b"')
  })
  it('what no variable holds is written as words: a position, a part of JSON, a name of the shell, a large value', async () => {
    const large = 'x;'.repeat(70_000)
    expect(await expand('echo $1 ${J.a} ${IFS}', { '1': 'a;b', J: '{"a":"c|d"}', IFS: ';' })).to.equal(
      'echo ${0+a\\;b} ${0+c\\|d} ${0+\\;}'
    )
    expect(await expand('echo ${L}', { L: large })).to.equal(`echo \${0+${large.replaceAll(';', '\\;')}}`)
  })
  it('what the author wrote is inserted as text beside it', async () => {
    const look: Lookup = { ...lookup({ X: 'a b', OPTS: '-l | wc' }), isData: (name) => name === 'X' }
    expect(await expandShellText('ls ${OPTS} ${X}', look)).to.equal('ls -l | wc ${X}')
  })
  it('in arithmetic it must be a number, which a shell does not compute further', async () => {
    for (const out of await printed('echo $(( ${X} + $Y ))', { X: '2 * (0x10)', Y: '1' })) expect(out).to.equal('33\n')
    for (const value of ['HOME', 'a[$(id)]', '1; id', '`id`', 'x=1']) {
      for (const text of ['echo $((${X}))', 'echo $(("${X}" + 1))']) {
        const failure = await expand(text, { X: value }).catch((error: Error) => error.message)
        expect(failure).to.equal(
          '${X} is in arithmetic, where its value must be a number: a shell would evaluate names and subscripts in it'
        )
      }
    }
  })
  it('a here-document whose quoted delimiter the value holds gets another one', async () => {
    const text = 'cat <<\'E\'; cat <<-"F"\n${X}\nE\n\t$Y\n\tF\necho over'
    for (const out of await printed(text, { X: 'a\nE\nE_', Y: 'F' })) expect(out).to.equal('a\nE\nE_\nF\nover\n')
  })
  it('on the first line of a script it is one line', async () => {
    expect(await expand('#!/usr/bin/env ${X}\n:', { X: 'python3 -u' })).to.equal('#!/usr/bin/env python3 -u\n:')
    const failure = await expand('#!/bin/sh ${X}\n:', { X: '-e\nid' }).catch((error: Error) => error.message)
    expect(failure).to.equal('${X} is on the first line of a script, where its value must be one line')
  })
  it('the text of another shell is read as that shell reads it; one that is a reference alone is a command line', async () => {
    const values = { X: 'a;b  c' }
    for (const out of await printed('sh -c "echo ${X} \\"${X}\\""; sh -c \'echo ${X} "${X}"\'', values))
      expect(out).to.equal('a;b c a;b  c\na;b c a;b  c\n')
    for (const out of await printed('sh -c "${X}"', { X: 'echo a | tr a b' })) expect(out).to.equal('b\n')
  })
  it('a backtick command in the text of another shell, too, wherever it stands there', async () => {
    const look: Lookup = { ...lookup({ X: 'a;b' }), substitute: async () => 'c; echo d' }
    const text = await expandShellText('sh -c "echo \\"${X}\\" `x` \\"`x`\\""; sh -c "echo \'${X}\' `x`"', look)
    for (const shell of SHELLS) expect(said(shell, text, {})).to.equal('a;b c; echo d c; echo d\na;b c; echo d\n')
  })
  it('a backtick command there runs once, though the text before each reference is read again', async () => {
    const ran: string[] = []
    const substitute = async (command: string) => `said ${ran.push(command)}`
    await expandShellText('sh -c "echo `x` ${X} ${X}"', { ...lookup({ X: 'a' }), substitute })
    expect(ran).to.deep.equal(['x'])
  })
  it('what a backtick command has said is data too', async () => {
    const look: Lookup = { ...lookup({}), substitute: async () => 'a; b\n$(c)' }
    expect(await expandShellText('echo `x` "`x`"', look)).to.equal('echo ${0+a\\; b\n\\$\\(c\\)} "a; b\n\\$(c)"')
  })
  it('a command that is nothing but one reference runs as a command line', async () => {
    const look: Lookup = {
      ...lookup({ CMD: 'a | b', '1': 'c; d', J: '{"k":"e > f"}' }),
      substitute: async () => 'g & h'
    }
    const line = (text: string) => expandCommand(text, look, 'shell')
    expect(await line('${CMD}')).to.equal('a | b')
    expect(await line(' $CMD ')).to.equal(' a | b ')
    expect(await line('$1')).to.equal('c; d')
    expect(await line('${J.k}')).to.equal('e > f')
    expect(await line('`x`')).to.equal('g & h')
    expect(await line('${CMD} -v')).to.equal('${CMD} -v')
    expect(await line('${CMD}${CMD}')).to.equal('${CMD}${CMD}')
  })
  it('another interpreter is given it raw', async () => {
    expect(await expand('print(${X})', { X: '"a" + b' }, 'other')).to.equal('print("a" + b)')
  })
})
