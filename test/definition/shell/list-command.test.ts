import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import fc from 'fast-check'
import { expandList } from '../../../src/definition/shell/list-command.ts'
import type { Lookup } from '../../../src/definition/text/lookup.ts'
import { ofAll } from '../../support/long.ts'

const lookup = (values: Record<string, string>): Lookup => ({
  variable: (name) => (Object.hasOwn(values, name) ? values[name] : undefined)
})
const expand = (list: string[], values: Record<string, string> = {}) => expandList(list, lookup(values))
/** What a shell prints for it. */
const printed = async (list: string[], values: Record<string, string>) =>
  execFileSync('sh', ['-c', await expand(list, values)], { encoding: 'utf8', env: { PATH: process.env.PATH } })

describe('list command (4.1.3)', () => {
  it('4.1.3 an argument with a blank that is not already quoted gets double quotes, inner ones are escaped', async () => {
    const list = ['echo', '-n', 'a b', 'say "x y"', '"al ready"', `'al so'`, '$X', '*', '']
    expect(await expand(list)).to.equal(`echo -n "a b" "say \\"x y\\"" "al ready" 'al so' $X * ""`)
  })
  it('4.1.3 what is escaped already is not escaped again, and a backslash at the end takes no quote away', async () => {
    expect(await printed(['printf', '"<%s>"', 'a \\"b', 'c d\\', 'e'], {})).to.equal('<a "b><c d\\><e>')
  })
  it('3.1.5 a value in an argument with a blank arrives unchanged', async () => {
    const values = ['x$(echo ran)y', '`echo ran`', '"; echo ran; "', "it's", '\\', '$HOME', 'two\nlines', '']
    for (const V of values) {
      for (const written of ['said: ${V}', `it's \${V}`, 'a "${V}"', '# ${V}', '"${V}" b'])
        expect(await printed(['printf', '%s', written], { V }), V).to.equal(written.replace('${V}', () => V))
    }
  })
  it('3.1.5 property: any value in an argument with a blank arrives unchanged', async () => {
    const value = fc.stringMatching(/^[$`"'\\\n a{}()!#;]{0,12}$/)
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 10, maxLength: 40 }), async (all) => {
        const values = Object.fromEntries(all.map((each, i) => [`V${i}`, each]))
        const out = await printed(['printf', "'%s\\0'", ...all.map((_, i) => `- \${V${i}}`)], values)
        expect(out).to.equal(all.map((each) => `- ${each}\0`).join(''))
      }),
      { numRuns: ofAll(4, 20) }
    )
  })
  it('Choice: an argument whose value brings a blank stays one word, and nothing of the value is run', async () => {
    for (const V of ['a  b', '"a b"', `'a b'`, 'x $(echo ran)', 'a "b`echo ran`', '"; echo ran; "'])
      expect(await printed(['printf', '"<%s>"', '${V}', '-n=$V'], { V }), V).to.equal(`<${V}><-n=${V}>`)
  })
  it('3.1.5 a value without blanks in an argument without quotes is inserted raw', async () => {
    expect(await expand(['echo', '${V}', '$NO'], { V: '$X*' })).to.equal('echo $X* $NO')
    expect(await expand(['echo', '${V}'], { V: '' })).to.equal('echo ""')
  })
  it('3.1.2 each backtick command is run once, with quotes of its own', async () => {
    const ran: string[] = []
    const substitute = async (command: string) => `${command} ${ran.push(command)}`
    const look = { ...lookup({}), substitute }
    expect(await expandList(['echo', '`a`-`a`', 'at `b "c d"`'], look)).to.equal('echo "a 1-a 2" "at b \\"c d\\" 3"')
    expect(ran).to.deep.equal(['a', 'a', 'b "c d"'])
  })
})
