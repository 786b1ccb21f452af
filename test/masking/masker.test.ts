/** Masking while writing: what is masked, and that chunks make no difference. Source: execution-semantics 14.4.6, 14.4.7. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { SecretMark } from '../../machines/vocabulary.ts'
import { MASK, maskBytes, openMasker } from '../../src/masking/masker.ts'
import { patternsOf, type SecretValues } from '../../src/masking/patterns.ts'
import { secretsOf, uncoverBytes } from '../../src/masking/secrets.ts'
import { ofAll } from '../support/long.ts'

const masked = (values: SecretValues, text: string) => secretsOf(values).mask(text)

describe('masking', () => {
  it('14.4.6 every occurrence of a non-empty value becomes seven stars', () => {
    expect(masked({ A: 'hunter2' }, 'x hunter2 hunter2hunter2 hunter')).to.equal('x ******* ************** hunter')
    expect(masked({ A: '' }, 'nothing')).to.equal('nothing')
    expect(masked({}, 'nothing')).to.equal('nothing')
  })

  it('14.4.6 the longest value first: one that is a prefix, a suffix or a part of another leaves no rest', () => {
    const values = { SHORT: 'abc', LONG: 'abcdef', END: 'def', MIDDLE: 'cd' }
    expect(masked(values, 'abcdef abc def cd abcde')).to.equal(`${MASK} ${MASK} ${MASK} ${MASK} ${MASK}e`)
  })

  it('values that overlap in the text are masked together, so that no part of either is left', () => {
    expect(masked({ A: 'abcd', B: 'cdef' }, '-abcdef-')).to.equal(`-${MASK}-`)
    expect(masked({ A: 'abab' }, 'ababab')).to.equal(MASK)
    expect(masked({ A: 'bcde', B: 'abc' }, 'abcde')).to.equal(MASK)
    expect(masked({ A: 'cac', B: 'a' }, 'cacac')).to.equal(MASK)
  })

  it('14.4.7 a value of several lines is masked as a whole, and line by line where a line has at least 4 characters', () => {
    const values = { KEY: 'BEGIN\nline\r\nabc\nlongest line\n' }
    expect(masked(values, `<${values.KEY}>`)).to.equal(`<${MASK}>`)
    expect(masked(values, 'line, BEGIN, abc\n  longest line')).to.equal(`${MASK}, ${MASK}, abc\n  ${MASK}`)
    expect(masked({ K: 'äöü\näöüß' }, 'äöü äöüß')).to.equal(`äöü ${MASK}`)
  })

  it('14.4.7 base64 and other encodings of a value are not masked', () => {
    const encoded = Buffer.from('hunter22').toString('base64')
    expect(masked({ A: 'hunter22' }, encoded)).to.equal(encoded)
  })

  it('a value with blanks around it is masked without them too', () => {
    expect(masked({ A: ' hunter2\n' }, 'hunter2')).to.equal(MASK)
  })

  it('bytes that are no text pass unchanged', () => {
    const bytes = Uint8Array.from({ length: 1_024 }, (_, index) => index % 256)
    expect(maskBytes(bytes, patternsOf({ A: 'hunter2' }))).to.deep.equal(Buffer.from(bytes))
  })

  it('a value split over two chunks is masked; at most its length minus one is held back', () => {
    const masker = openMasker(patternsOf({ A: 'hunter2' }))
    expect([masker.push(Buffer.from('x hunter')), masker.held].map(String)).to.deep.equal(['x ', '6'])
    expect([masker.push(Buffer.from('2!')), masker.held].map(String)).to.deep.equal([`${MASK}!`, '0'])
    expect([masker.push(Buffer.from('hunt')), masker.flush()].map(String)).to.deep.equal(['', 'hunt'])
  })

  it('of a value that goes on after its beginning had to be given out, the rest is masked', () => {
    const masker = openMasker(patternsOf({ A: 'hunter2' }))
    const written = [masker.push(Buffer.from('hun')), masker.flush(), masker.push(Buffer.from('ter2!'))]
    expect(written.map(String)).to.deep.equal(['', 'hun', `${MASK}!`])
  })
})

/** Values and texts of few letters, so that they meet, overlap and repeat. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', '\0', 'ä'), minLength: 0, maxLength: 6 })
const values = fc.dictionary(fc.constantFrom('A', 'B', 'C', 'D'), word, { maxKeys: 4 })
const text = fc
  .array(fc.oneof(word, fc.constantFrom('abc', 'aaaa', 'abab\ncaca', 'x')), { maxLength: 12 })
  .map((parts) => Buffer.from(parts.join('')))

/** The rule by itself: every byte of every occurrence is masked; what overlaps is one mask. */
function byHand(bytes: Buffer, strings: Buffer[]): Buffer {
  const spans = strings.flatMap((string) =>
    [...bytes.keys()]
      .filter((at) => bytes.subarray(at, at + string.length).equals(string))
      .map((at) => [at, at + string.length] as const)
  )
  const out: Buffer[] = []
  let at = 0
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
    if (from < at && out.length > 0) {
      at = Math.max(at, to)
      continue
    }
    out.push(bytes.subarray(at, from), Buffer.from(MASK))
    at = to
  }
  return Buffer.concat([...out, bytes.subarray(at)])
}

describe('masking › any secrets, any bytes, any chunks', () => {
  const cases = { numRuns: ofAll(400, 2_000) }

  it('what is masked is what the rule says', () => {
    fc.assert(
      fc.property(values, text, (given, bytes) => {
        const patterns = patternsOf(given)
        const strings = patterns.pieces.map(({ secret, from, length }) =>
          Buffer.from(given[secret] ?? '').subarray(from, from + length)
        )
        expect(maskBytes(bytes, patterns).toString('latin1')).to.equal(byHand(bytes, strings).toString('latin1'))
      }),
      cases
    )
  })

  it('masking the chunks is masking the whole, and the tail is shorter than the longest value', () => {
    fc.assert(
      fc.property(values, text, fc.array(fc.nat(7), { minLength: 1 }), (given, bytes, sizes) => {
        const patterns = patternsOf(given)
        const masker = openMasker(patterns)
        const out: Buffer[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] || 1
          const chunk = Buffer.from(bytes.subarray(at, at + size))
          out.push(Buffer.from(masker.push(chunk)))
          chunk.fill(0) // a chunk belongs to who made it
          expect(masker.held).to.be.at.most(Math.max(0, patterns.automaton.longest - 1))
          at += size
        }
        out.push(masker.flush())
        expect(Buffer.concat(out).toString('latin1')).to.equal(maskBytes(bytes, patterns).toString('latin1'))
      }),
      cases
    )
  })

  it('with the marks, masks can be taken off again', () => {
    fc.assert(
      fc.property(values, text, fc.nat(20), (given, bytes, cut) => {
        const marks: SecretMark[] = []
        const masker = openMasker(patternsOf(given), (mark) => marks.push(mark))
        const out = [masker.push(bytes.subarray(0, cut)), masker.push(bytes.subarray(cut)), masker.flush()]
        expect(uncoverBytes(Buffer.concat(out), marks, given).toString('latin1')).to.equal(bytes.toString('latin1'))
      }),
      cases
    )
  })

  it('nothing is lost or doubled when the tail had to be given out in the middle', () => {
    fc.assert(
      fc.property(values, text, fc.array(fc.nat(7), { minLength: 1 }), (given, bytes, sizes) => {
        const marks: SecretMark[] = []
        const masker = openMasker(patternsOf(given), (mark) => marks.push(mark))
        const out: Buffer[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] || 1
          out.push(masker.push(bytes.subarray(at, at + size)), masker.flush())
          expect(masker.held).to.equal(0)
          at += size
        }
        expect(uncoverBytes(Buffer.concat(out), marks, given).toString('latin1')).to.equal(bytes.toString('latin1'))
      }),
      cases
    )
  })
})

describe('masks in a text that is kept', () => {
  const secrets = secretsOf({ TOKEN: 's3cr3t-token', KEY: 'line one\nline two\n' })

  it('14.4.8 a covered text holds no value, and is uncovered where the secrets are known', () => {
    const text = 'ä s3cr3t-token line two *******\n'
    const covered = secrets.cover(text)
    expect(covered.text).to.equal(`ä ${MASK} ${MASK} *******\n`)
    expect(JSON.stringify(covered)).to.not.match(/s3cr3t|line/)
    expect(secrets.uncover(covered.text, covered.marks)).to.equal(text)
  })

  it('14.4.8 a secret that is not resolvable stays masked; one that has changed gives its new value', () => {
    const covered = secrets.cover('s3cr3t-token, line two')
    expect(secretsOf({ TOKEN: 'new' }).uncover(covered.text, covered.marks)).to.equal(`new, ${MASK}`)
    expect(secretsOf({ KEY: 'short' }).uncover(covered.text, covered.marks)).to.equal(`${MASK}, ${MASK}`)
  })

  it('stars that the user wrote are no masks', () => {
    expect(secrets.uncover(`${MASK} ${MASK}`, [{ at: 8, secret: 'TOKEN' }])).to.equal(`${MASK} s3cr3t-token`)
    expect(secrets.uncover('plain text', [{ at: 2, secret: 'TOKEN' }])).to.equal('plain text')
  })
})
