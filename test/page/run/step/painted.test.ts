/** Escape sequences in logs. */
import { expect } from 'chai'
import { type Painted, paintedLine } from '../../../../src/page/run/step/painted.ts'
import { seenText } from '../../../../src/platform/seen-text.ts'

describe('page › escape sequences in a log', () => {
  const E = '\u001b'
  const painted = (line: string): Painted[] => paintedLine(line).parts

  it('a text without any is itself, and an empty one nothing', () => {
    expect(painted('a [31m b\n<b>')).to.deep.equal([{ text: 'a [31m b\n<b>', look: '' }])
    expect(painted('')).to.deep.equal([])
  })

  it('colors and bold last until others are set, across lines', () => {
    const { parts, after } = paintedLine(`${E}[31mred`)
    expect(parts).to.deep.equal([{ text: 'red', look: 'ink-red' }])
    expect(
      paintedLine(`still${E}[0m plain ${E}[1;92mok${E}[22m not bold${E}[39m${E}[m end`, after).parts
    ).to.deep.equal([
      { text: 'still', look: 'ink-red' },
      { text: ' plain ', look: '' },
      { text: 'ok', look: 'ink-green strong' },
      { text: ' not bold', look: 'ink-green' },
      { text: ' end', look: '' }
    ])
  })

  it('any of 256 colors or of RGB is kept, with semicolons or colons; the first sixteen are those of the page', () => {
    const text = `${E}[38;5;196ma${E}[38;2;1;31;32mb${E}[38;5;12mc${E}[0;38:2::1:31:32md${E}[38:5:244me`
    expect(painted(text)).to.deep.equal([
      { text: 'a', look: 'ink-other', ink: 'rgb(255 0 0)' },
      { text: 'b', look: 'ink-other', ink: 'rgb(1 31 32)' },
      { text: 'c', look: 'ink-blue' },
      { text: 'd', look: 'ink-other', ink: 'rgb(1 31 32)' },
      { text: 'e', look: 'ink-other', ink: 'rgb(128 128 128)' }
    ])
  })

  it('dim, underline and inverse are kept; a ground brings an ink that can be read on it', () => {
    expect(painted(`${E}[2;4ma${E}[22;24;7mb${E}[27;43mc${E}[37md${E}[7me`)).to.deep.equal([
      { text: 'a', look: 'dim underlined' },
      { text: 'b', look: 'inverse' },
      { text: 'c', look: '', ink: 'rgb(255 255 255)', ground: 'rgb(150 100 0)' },
      { text: 'd', look: '', ink: 'rgb(200 200 200)', ground: 'rgb(150 100 0)' },
      { text: 'e', look: '', ink: 'rgb(150 100 0)', ground: 'rgb(200 200 200)' }
    ])
  })

  it('of a line that was written over, the last state is kept, in the colors that were set before it', () => {
    expect(painted(`${E}[32m10 %\r50 %\r${E}[1m100 %\r`)).to.deep.equal([{ text: '100 %', look: 'ink-green strong' }])
    expect(seenText(`a\rb${E}[1mc\r\r`)).to.equal('bc')
    expect([seenText('\r'), seenText('x')]).to.deep.equal(['', 'x'])
  })

  it('cursor movements, titles and links are removed, and so are unterminated sequences', () => {
    const link = `${E}]8;;http://localhost/${E}\\here${E}]8;;${E}\\`
    expect(painted(`${E}[2K${E}[1A${E}]0;title\u0007a ${link}${E}(B b${E}[?25l`)).to.deep.equal([
      { text: 'a here b', look: '' }
    ])
    expect(painted(`a${E}`)).to.deep.equal([{ text: 'a', look: '' }])
    expect(painted(`b${E}[3`)).to.deep.equal([{ text: 'b', look: '' }])
  })
})
