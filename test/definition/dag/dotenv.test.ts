import { expect } from 'chai'
import fc from 'fast-check'
import { parseDotenv } from '../../../src/definition/dag/dotenv.ts'

const read = (text: string, outer: Record<string, string> = {}) => ({ ...parseDotenv(text, (name) => outer[name]) })
const complaint = (text: string) => {
  try {
    read(text)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error(`accepted: ${text}`)
}

describe('dotenv › syntax (3.7.3)', () => {
  it('K=V, one a line; blanks around name and value go; a later line wins; an empty value is one', () => {
    expect(read('A=1\n\n  B = two words \nA=3\nC=\nD.x-y=5')).to.deep.equal({
      A: '3',
      B: 'two words',
      C: '',
      'D.x-y': '5'
    })
  })
  it('optional export', () => {
    expect(read('export A=1\nexport\tB="2"\nexported=3')).to.deep.equal({ A: '1', B: '2', exported: '3' })
  })
  it('# comments: whole lines, and after a blank; a # within a value stays', () => {
    expect(read('# A=0\n  # x\nA=1 # one\nB=a#b\nC="x # y" # z\nD=\'#\'#\nE= # nothing\nF=#f #')).to.deep.equal({
      A: '1',
      B: 'a#b',
      C: 'x # y',
      D: '#',
      E: '',
      F: '#f'
    })
  })
  it('single quotes literal, over several lines too', () => {
    expect(read("A=1\nB='${A} $A \\n \"x\" \\'\nC='one\ntwo'\nD=4")).to.deep.equal({
      A: '1',
      B: '${A} $A \\n "x" \\',
      C: 'one\ntwo',
      D: '4'
    })
  })
  it('double quotes with \\n escapes, over several lines too; an unknown escape stays', () => {
    expect(read('A="a\\nb\\tc\\rd \\"q\\" \\\\n \\$A \\x"\nB="one\ntwo"\nC=3')).to.deep.equal({
      A: 'a\nb\tc\rd "q" \\n $A \\x',
      B: 'one\ntwo',
      C: '3'
    })
  })
  it('${K} and $K of earlier keys in unquoted and double-quoted values; a later one is empty', () => {
    expect(read('A=1\nB=${A}-$A\nC="<$B ${LATER}>"\nLATER=x\nD=\\$A')).to.deep.equal({
      A: '1',
      B: '1-1',
      C: '<1-1 >',
      LATER: 'x',
      D: '$A'
    })
  })
  it('Choice: what is no earlier key is a variable of the server; every other $ is text', () => {
    expect(read('A=$HOME/x\nHOME=mine\nB=$HOME\nC=5$ ${ $5 ${A:-x}', { HOME: '/root' })).to.deep.equal({
      A: '/root/x',
      HOME: 'mine',
      B: 'mine',
      C: '5$ ${ $5 ${A:-x}'
    })
  })
  it('replaced text is not scanned again', () => {
    expect(read("A='$B'\nB=2\nC=$A").C).to.equal('$B')
  })
  it('reads the line ends of every system, and a byte order mark', () => {
    expect(read('\uFEFFA=1\r\nB="x\r\ny"\r\nC=3\rD=4')).to.deep.equal({ A: '1', B: 'x\ny', C: '3', D: '4' })
  })
  it('a syntax error names its line and shows no value', () => {
    expect(complaint('A=1\nnonsense')).to.equal('line 2: wanted NAME=value')
    expect(complaint('A: 1')).to.equal('line 1: wanted NAME=value')
    expect(complaint('1A=x')).to.equal('line 1: wanted NAME=value')
    expect(complaint('export A')).to.equal('line 1: wanted NAME=value')
    expect(complaint('A=1\n\nB="secret')).to.equal('line 3: wanted a closing "')
    expect(complaint("B='secret")).to.equal("line 1: wanted a closing '")
    expect(complaint('B="secret" more')).to.equal('line 1: wanted nothing but a comment after the closing quote')
    expect(complaint('B=\0')).to.contain('NUL')
  })
  it('a name of an object prototype is a name like others', () => {
    expect(Object.keys(parseDotenv('__proto__=1\nconstructor=2', () => undefined))).to.have.members([
      '__proto__',
      'constructor'
    ])
  })
  it('any text is read or refused, in linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        try {
          parseDotenv(text, () => undefined)
        } catch (error) {
          expect((error as Error).message).to.match(/^line \d+: wanted|NUL/)
        }
      })
    )
    for (const piece of ['A="\\', 'A=$', 'A=${', ' #', '\n', "A='", 'A= \\']) {
      try {
        parseDotenv(`A=1\n${piece.repeat(200_000)}`, () => undefined)
      } catch {
        // Only the time counts.
      }
    }
  })
})
