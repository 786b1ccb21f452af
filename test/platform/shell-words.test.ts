/** A text from outside is one word of a shell, which expands nothing in it. Source: docs/decisions/cli.md, D1591. */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { shellWord } from '../../src/platform/shell/shell-word.ts'

const TEXTS = [
  '',
  '$(echo no)',
  '`echo no`',
  "it's",
  '"',
  'a  b',
  '*',
  '~',
  '!!',
  '\\',
  'a\nb',
  ';&|<>',
  '#',
  '{a,b}',
  '\x1b[31m'
]

describe('shell words', () => {
  it('a shell reads each text as it is', () => {
    const read = execFileSync('sh', ['-c', `printf '%s\\0' ${TEXTS.map(shellWord).join(' ')}`]).toString()
    expect(read.split('\0').slice(0, -1)).to.deep.equal(TEXTS)
  })
  it('what needs no quotes has none', () => {
    expect(shellWord('etl:01a1-b_c/d.yaml')).to.equal('etl:01a1-b_c/d.yaml')
  })
})
