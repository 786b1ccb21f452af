/** The health of a worker over time, as the page draws it. Source: distribution 9. */
import { expect } from 'chai'
import { lengthened, type Span, STRIP_MS, type Standing, spansText } from '../../../src/page/workers/health.ts'

/** After answers at these seconds. */
const after = (...answers: [number, Standing][]): Span[] =>
  answers.reduce<Span[]>((spans, [second, standing]) => lengthened(spans, second * 1_000, standing), [])
const seconds = (spans: Span[]) => spans.map(({ from, until, standing }) => [from / 1_000, until / 1_000, standing])

describe('page › the health of a worker over time', () => {
  it('equal answers are one span; another health begins where the former ended', () => {
    const spans = after([0, 'healthy'], [2, 'healthy'], [4, 'warning'], [6, 'warning'], [8, 'healthy'])
    expect(seconds(spans)).to.deep.equal([
      [0, 4, 'healthy'],
      [4, 8, 'warning'],
      [8, 8, 'healthy']
    ])
    expect(spansText(spans, 8_000)).to.equal('4 s healthy, 4 s warning')
  })
  it('nothing is said of a time without answers', () => {
    const spans = after([0, 'healthy'], [2, 'healthy'], [60, 'healthy'], [62, 'healthy'])
    expect(seconds(spans)).to.deep.equal([
      [0, 2, 'healthy'],
      [60, 62, 'healthy']
    ])
    expect(spansText(spans, 62_000)).to.equal('4 s healthy')
  })
  it('what is older than five minutes is dropped, and does not count', () => {
    let spans: Span[] = []
    for (let at = 0; at <= 2 * STRIP_MS; at += 2_000)
      spans = lengthened(spans, at, at < STRIP_MS / 2 ? 'lost' : 'healthy')
    expect(spans.map(({ standing }) => standing)).to.deep.equal(['healthy'])
    expect(spansText(spans, 2 * STRIP_MS)).to.equal('5 min 0 s healthy')
  })
})
