/** What a reference is, what is none, and what becomes of it, by where the text goes. Source: execution-semantics 3.1. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Lookup } from '../../../src/definition/text/lookup.ts'
import {
  expandField,
  expandOwnText,
  expandRawText,
  expandShellText,
  withVariables
} from '../../../src/definition/text/variables.ts'
import { ofAll } from '../../support/long.ts'
import { field, lookup } from './looked-up.ts'

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
      { numRuns: ofAll(60, 300) }
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
      { numRuns: ofAll(200, 1_000) }
    )
  })
  it('ends in linear time on nothing but marks', async () => {
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
      const text = mark.repeat(Math.floor(ofAll(100_000, 250_000) / mark.length))
      for (const expand of [expandField, expandShellText, expandRawText]) await expand(text, running)
    }
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
    const look = withVariables(running, own, new Set())
    own.set('C', '3')
    expect(await expandField('$A $B $C ${s.stdout} `x`', look)).to.equal('own 2 3 /p <x>')
  })
})
