import { expect } from 'chai'
import { decoded } from '../../../src/store/files/utf8.ts'

describe('store › the bytes of a definition', () => {
  it('UTF-8 is taken as it is', () => {
    for (const text of ['', 'ä€😀\uFFFD\0', '\uFEFFx']) expect(decoded(Buffer.from(text))).to.deep.equal({ text })
  })
  it('anything else is refused with the first byte that is wrong, its line and column', () => {
    const placed = (...parts: (string | number[])[]) =>
      decoded(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))))
    const at = (line: number, column: number, byte: string) => ({
      problem: `wanted UTF-8, found the byte 0x${byte}: save the file as UTF-8`,
      line,
      column
    })
    expect(placed('a: 1\nb: ä caf', [0xe9], '\n')).to.deep.equal(at(2, 9, 'E9'))
    expect(placed([0xff, 0xfe], 'x')).to.deep.equal(at(1, 1, 'FF'))
    expect(placed('a\uFFFD', [0xed, 0xa0, 0x80])).to.deep.equal(at(1, 3, 'ED'))
    expect(placed('cut ', [0xe2, 0x82])).to.deep.equal(at(1, 5, 'E2'))
    expect(placed('cut ', [0xef, 0xbf])).to.include({ line: 1 })
  })
})
