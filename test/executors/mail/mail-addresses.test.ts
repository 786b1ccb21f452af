/** Addresses as people write them: every text between separators is one, or is named. Source: execution-semantics 10.6.2, 10.6.6. */
import { expect } from 'chai'
import fc from 'fast-check'
import { addressesIn } from '../../../src/executors/mail/addresses.ts'
import { ofAll } from '../../support/long.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'

/** Field, addresses in it, texts in it that are none. */
const FIELDS: [field: string, addresses: string[], wrong?: string[]][] = [
  ['', []],
  [' \t\r\n,;\n ', []],
  ['a@x.test', ['a@x.test']],
  ['a@x.test,b@x.test;c@x.test', ['a@x.test', 'b@x.test', 'c@x.test']],
  ['a@x.test  b@x.test\tc@x.test', ['a@x.test', 'b@x.test', 'c@x.test']],
  ['a@x.test\u2028b@x.test\u2029c@x.test\vd@x.test', ['a@x.test', 'b@x.test', 'c@x.test', 'd@x.test']],
  ['<a@x.test><b@x.test>', ['a@x.test', 'b@x.test']],
  ['A B <a@x.test> C <b@x.test> c@x.test', ['a@x.test', 'b@x.test', 'c@x.test']],
  ['a@x.test <b@x.test>', ['a@x.test', 'b@x.test']],
  ['"A, B; C" <a@x.test>', ['a@x.test']],
  ['"say \\"hi, you\\"" <a@x.test>', ['a@x.test']],
  ['"a b"@x.test "c,d"@x.test', ['"a b"@x.test', '"c,d"@x.test']],
  ['"spy@y.test"@x.test', ['"spy@y.test"@x.test']],
  ['a@x.test (Al, ice (senior; really)) b@x.test', ['a@x.test', 'b@x.test']],
  ['(first) a@x.test (second) (third)', ['a@x.test']],
  [
    'g@grün.test, ü@x.test, a@[127.0.0.1], root@localhost, a@in_house.test',
    ['g@grün.test', 'ü@x.test', 'a@[127.0.0.1]', 'root@localhost', 'a@in_house.test']
  ],
  ["o'hara+tag@x-y.test =?UTF-8?Q?J=C3=B6?= <j@x.test>", ["o'hara+tag@x-y.test", 'j@x.test']],
  ['Team: a@x.test, B <b@x.test>\nc@x.test; d@x.test', ['a@x.test', 'b@x.test', 'c@x.test', 'd@x.test']],
  ['undisclosed-recipients:;', []],
  ['a@x.test,ops-team', ['a@x.test'], ['ops-team']],
  ['ops team\nBob <b@x.test>', ['b@x.test'], ['ops team']],
  ['Robot\n<r@x.test>', ['r@x.test'], ['Robot']],
  ['John b@x.test', ['b@x.test'], ['John']],
  ['a@x.test junk', ['a@x.test'], ['junk']],
  ['A <a@x.test> junk, b@x.test', ['a@x.test', 'b@x.test'], ['junk']],
  ['b@x.test|c@x.test', [], ['b@x.test|c@x.test']],
  ['"q, q"a@x.test, a"b"@x.test', [], ['"q, q"a@x.test', 'a"b"@x.test']],
  ['"plain"@x.test', ['plain@x.test']],
  ['a@b@x.test', [], ['a@b@x.test']],
  [
    'a@, @x.test, @, a@x..test, a@.x, a@x.test., a@-x.test, a@x/y',
    [],
    ['a@', '@x.test', '@', 'a@x..test', 'a@.x', 'a@x.test.', 'a@-x.test', 'a@x/y']
  ],
  ['<>, N <>, N <nobody>, N <a@x.test, b@x.test>', [], ['<>', 'N <>', 'N <nobody>', 'N <a@x.test, b@x.test>']],
  ['a @ x.test', [], ['a', '@', 'x.test']],
  ['a@x.test, <b@x.test\nc@x.test', ['a@x.test'], ['<b@x.testc@x.test']],
  ['"Bob <b@x.test>, c@x.test', [], ['"Bob <b@x.test>, c@x.test']],
  ['(nobody), a@x.test', ['a@x.test'], ['(nobody)']],
  ['a@x.test (never closed, b@x.test', ['a@x.test'], ['(never closed, b@x.test']],
  ['a@x.test)', ['a@x.test'], [')']],
  ['mailto:a@x.test', ['a@x.test'], ['mailto:']],
  ['a@x.test\r\nBcc: spy@x.test', ['a@x.test', 'spy@x.test'], ['Bcc:']],
  ['T: U: a@x.test;', ['a@x.test'], ['U:']],
  ['\\$ON_CALL $ON_CALL', [], ['\\$ON_CALL $ON_CALL']]
]

describe('mail addresses', () => {
  for (const [field, addresses, wrong = []] of FIELDS)
    it(JSON.stringify(field), async () => {
      const found = await addressesIn([field])
      expect([found.mailboxes.map(({ address }) => address), found.wrong]).to.deep.equal([addresses, wrong])
    })
  it('each text of a list ends an address', async () => {
    const { mailboxes, wrong } = await addressesIn(['"open', 'a@x.test', 'Bob', '<b@x.test>'])
    expect([mailboxes.map(({ address }) => address), wrong]).to.deep.equal([
      ['a@x.test', 'b@x.test'],
      ['"open', 'Bob']
    ])
  })
  it('no character that is written is lost: it is in an address, in a text that is named, or it separates', async () => {
    const parts = [
      'a@x.test',
      'Bob',
      '<b@x.test>',
      '"q, q"',
      '(c)',
      ',',
      ' ',
      '\n',
      ';',
      '@',
      '|',
      '<',
      '"',
      '\\',
      '(',
      ')',
      '[',
      ':',
      'ü'
    ]
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), async (written) => {
        const field = written.join('')
        const { mailboxes, wrong } = await addressesIn([field])
        const kept = [...mailboxes.map(({ text }) => text), ...wrong].join('')
        // A group adds its members, so its name and colon are in neither.
        if (field.includes(':')) return
        const bare = (text: string) => [...text.replace(/[\s,;]/g, '')].sort().join('')
        expect(bare(kept)).to.equal(bare(field))
        for (const { text, address } of mailboxes) expect(text).to.include(address)
      }),
      { numRuns: ofAll(400, 2_000) }
    )
  })
  it('anything is read in linear time', async () => {
    for (const part of ['a', '"', '(', '<', '<"', '\\', 'a@x.test ', '[', ':', '"a"@', ',', '()']) {
      const read = (length: number) => addressesIn([part.repeat(length / part.length)])
      expect(await growth(read, 20_000), JSON.stringify(part)).to.be.below(LINEAR)
    }
  })
})
