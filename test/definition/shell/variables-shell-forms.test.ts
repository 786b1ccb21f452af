/** Forms of the shell in fields: defaults, slices, patterns. Source: execution-semantics 3.1.7. */
import { expect } from 'chai'
import { expandField, expandRawText, expandShellText } from '../../../src/definition/text/variables.ts'
import { field, lookup } from '../text/looked-up.ts'

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
