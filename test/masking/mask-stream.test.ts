/** Masking in streams, in time: nothing is held back for more than half a second. Source: execution-semantics 14.4.6. */
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { maskStream } from '../../src/masking/mask-stream.ts'
import { openMasker } from '../../src/masking/masker.ts'
import { secretsOf } from '../../src/masking/secrets.ts'
import { timedMasker } from '../../src/masking/timed-masker.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'

const secrets = secretsOf({ TOKEN: 'hunter2' })

describe('masking in time', () => {
  const opened = () => {
    const clock = simulatedClock()
    let out = ''
    const masker = timedMasker(openMasker(secrets.patterns), clock, (bytes) => {
      out += bytes.toString()
    })
    return { clock, push: (given: string) => masker.push(Buffer.from(given)), end: () => masker.end(), out: () => out }
  }

  it('14.4.6 a value in two writes 200 ms apart is masked', () => {
    const { clock, push, out } = opened()
    push('a hunt')
    clock.goTo(clock.now() + 200)
    push('er2 b')
    expect(out()).to.equal('a ******* b')
  })

  it('14.4.6 a tail is held back for 500 ms and no longer, each byte by its own time', () => {
    const { clock, push, out } = opened()
    push('x hun')
    clock.goTo(clock.now() + 400)
    push('-hunte')
    expect(out()).to.equal('x hun-')
    clock.goTo(clock.now() + 400)
    expect(out()).to.equal('x hun-')
    clock.goTo(clock.now() + 100)
    expect(out()).to.equal('x hun-hunte')
  })

  it('the end gives out what is held back, once', () => {
    const { clock, push, end, out } = opened()
    push('hun')
    end()
    clock.goTo(clock.now() + 1_000)
    expect(out()).to.equal('hun')
  })
})

describe('masking as a stream', () => {
  it('masks what flows through, and reports what the masks stand for', async () => {
    const marks: unknown[] = []
    const clock = simulatedClock()
    const stream = Readable.from(['a hun', 'ter2 b', ' hunt'].map((part) => Buffer.from(part))).pipe(
      maskStream(secrets, clock, (mark) => marks.push(mark))
    )
    expect(await text(stream)).to.equal('a ******* b hunt')
    expect(marks).to.deep.equal([{ at: 2, secret: 'TOKEN' }])
  })
})
