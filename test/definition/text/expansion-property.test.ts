/** Any text with any variables. Source: execution-semantics 3.1, 3.2. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Lookup } from '../../../src/definition/text/lookup.ts'
import { expandField, expandRawText, expandShellText } from '../../../src/definition/text/variables.ts'
import { ofAll } from '../../support/long.ts'

/** What readers of references, quotes, backticks, paths and shell forms look at. */
const SYNTAX = [
  '$',
  '${',
  '}',
  '\\',
  "'",
  '"',
  '\n',
  ' ',
  ':',
  '.',
  '[0]',
  '[',
  ']',
  '-',
  '/',
  '#',
  '%',
  '##',
  '%%',
  '?',
  '=',
  '<<EOF\n',
  '\nEOF\n',
  "<<'EOF'\n",
  '$(',
  ')',
  '#!',
  ':-',
  ':+',
  ':?',
  ':0:2',
  '\u0000',
  '\uD800',
  '$1',
  '${10}',
  'A',
  'B',
  'NONE',
  '$A',
  '${A}',
  '"${B}"',
  "'${A}'",
  '${J.k}',
  '${J.["x y"]}',
  '${s.stdout}',
  '${s.exitCode:0:1}'
]
const BACKTICKS = ['`', '`echo x`', '`${A}`', '``', '\\`']

const textOf = (parts: string[], maxLength: number) =>
  fc
    .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...parts) }, fc.string({ unit: 'binary', maxLength: 5 })), {
      maxLength
    })
    .map((pieces) => pieces.join(''))

const anyText = textOf([...SYNTAX, ...BACKTICKS], 40)
const values = fc.record({ A: anyText, B: anyText, J: fc.oneof(anyText, fc.json()) })

const ways = { expandField, expandShellText, expandRawText }

const FAILED = 'failed to execute command'

/** Runs what it is given without a shell: some commands fail. */
const substitute = async (command: string) => {
  if (command.length % 3 === 0) throw new Error(`${FAILED} ${JSON.stringify(command)}: exit status 1`)
  return command
}

describe('expansion › any text with any variables', () => {
  for (const [name, expand] of Object.entries(ways))
    it(`3.1 ${name} ends, and throws only the errors of a failing command and of \${X:?}`, async () => {
      await fc.assert(
        fc.asyncProperty(anyText, values, fc.boolean(), async (text, given, runs) => {
          const known = new Map(Object.entries(given))
          const look: Lookup = {
            variable: (name) => known.get(name),
            step: (id) => (id === 's' ? { stdout: '/logs/s.out', exitCode: '0' } : undefined),
            ...(runs && { substitute })
          }
          try {
            expect(await expand(text, look)).to.be.a('string')
          } catch (cause) {
            expect(cause).to.be.instanceOf(Error)
            // A subclass would be an accident: TypeError, RangeError, SyntaxError.
            expect((cause as Error).constructor, String(cause)).to.equal(Error)
            expect((cause as Error).message).to.satisfy(
              (message: string) => message.startsWith(FAILED) || /^[A-Za-z0-9_]+: /.test(message)
            )
          }
        }),
        { numRuns: ofAll(200, 1_000) }
      )
    })
})

describe('expansion › 3.1.8 replaced text is not scanned again', () => {
  const SECRET = 'SCANNED'
  const hostile = textOf([`$${SECRET}`, `\${${SECRET}}`, `\${${SECRET}.k}`, '`scanned`', '"', "'", '\\', '$', '\n'], 12)
  /** Texts of references only: nothing in them names what is in the values, and no backtick is theirs. */
  const text = textOf(
    SYNTAX.filter((part) => !part.includes('\\')),
    25
  ).map((found) => found.replaceAll('`', '').replaceAll(SECRET, ''))

  for (const [name, expand] of Object.entries(ways))
    it(`${name} neither looks up nor runs what stands in a value`, async () => {
      await fc.assert(
        fc.asyncProperty(text, hostile, hostile, async (text, a, b) => {
          const known = new Map([
            ['A', a],
            ['B', b],
            ['J', JSON.stringify({ k: a, 'x y': b })]
          ])
          const asked: string[] = []
          const look: Lookup = {
            variable(name) {
              asked.push(name)
              return known.get(name)
            },
            async substitute(command) {
              asked.push(command)
              return command
            }
          }
          await expand(text, look).catch(() => '')
          expect(asked.filter((name) => name.includes(SECRET) || name.includes('scanned'))).to.deep.equal([])
        }),
        { numRuns: ofAll(140, 700) }
      )
    })

  it('a field of one reference is its value, whatever that holds', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (value) => {
        const look: Lookup = { variable: (name) => (name === 'A' ? value : undefined), substitute }
        expect(await expandField('${A}', look)).to.equal(value)
        expect(await expandField('<$A>', look)).to.equal(`<${value}>`)
        expect(await expandRawText('${A}', look)).to.equal(value)
      }),
      { numRuns: ofAll(60, 300) }
    )
  })
})
