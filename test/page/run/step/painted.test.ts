/** Escape sequences in logs. */
import { expect } from 'chai'
import { painted } from '../../../../src/page/run/step/painted.ts'

describe('page › escape sequences in a log', () => {
  const E = '\u001b'

  it('a text without any is itself, and an empty one nothing', () => {
    expect(painted('a [31m b\n<b>')).to.deep.equal([{ text: 'a [31m b\n<b>', look: '' }])
    expect(painted('')).to.deep.equal([])
  })

  it('colors and bold last until others are set, across lines', () => {
    expect(painted(`${E}[31mred\nstill${E}[0m plain ${E}[1;92mok${E}[22m not bold${E}[39m${E}[m end`)).to.deep.equal([
      { text: 'red\nstill', look: 'ink-red' },
      { text: ' plain ', look: '' },
      { text: 'ok', look: 'ink-green strong' },
      { text: ' not bold', look: 'ink-green' },
      { text: ' end', look: '' }
    ])
  })

  it('the numbers of a color that the page does not have are not codes', () => {
    const text = `${E}[38;5;31ma${E}[38;2;1;31;32mb${E}[48;5;1mc${E}[38;5;12md${E}[0;38:2::1:31:32me`
    expect(painted(text)).to.deep.equal([
      { text: 'abc', look: '' },
      { text: 'd', look: 'ink-blue' },
      { text: 'e', look: '' }
    ])
  })

  it('cursor movements, titles and links are removed, and so are unterminated sequences', () => {
    const link = `${E}]8;;http://localhost/${E}\\here${E}]8;;${E}\\`
    expect(painted(`${E}[2K${E}[1A${E}]0;title\u0007a ${link}${E}(B b${E}[?25l`)).to.deep.equal([
      { text: 'a here b', look: '' }
    ])
    expect(painted(`a${E}`)).to.deep.equal([{ text: 'a', look: '' }])
    expect(painted(`a${E}]0;title\nb${E}[3`)).to.deep.equal([{ text: 'a\nb', look: '' }])
  })
})
