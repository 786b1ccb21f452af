/** The engine's own log: what is said of failures. Source: definition-format "Operational configuration". */
import { expect } from 'chai'
import { TroupeError } from '../src/errors.ts'
import { type Log, openLog, silent, survived, withstood } from '../src/log.ts'

describe('log › what the engine goes on after', () => {
  function told(error: unknown): string {
    const lines: string[] = []
    const clock = { now: () => 0 } as Parameters<typeof openLog>[0]
    survived(openLog(clock, { format: 'text', debug: false, write: (line) => lines.push(line) }), error)
    return lines.join('')
  }

  it('a failure that is known is one line with its message and its causes, without a stack, and no defect', () => {
    const cause = new Error('its member record.step is damaged')
    expect(told(new TroupeError('internal_error', 'run r1 of held cannot go on', { cause }))).to.equal(
      '1970-01-01T00:00:00.000Z ERROR a failure was survived ' +
        'error="TroupeError: run r1 of held cannot go on <- Error: its member record.step is damaged"\n'
    )
  })

  it('one that is about a run has its name and id as fields', () => {
    const details = { name: 'held', dagRunId: 'r1', errors: [] }
    expect(told(new TroupeError('internal_error', 'it cannot go on', { details }))).to.contain(
      'ERROR a failure was survived name="held" dagRunId="r1" error="TroupeError: it cannot go on"'
    )
  })

  it('anything else is a defect, told with the place where it was thrown', () => {
    expect(told(new TypeError('x is undefined'))).to.match(
      /ERROR a defect was survived error="TypeError: x is undefined\\n {4}at .*log\.test/
    )
    expect(told('a text')).to.contain('a defect was survived error="a text"')
  })
})

describe('log › one that a host application brings', () => {
  function heard(log: Partial<Log>): { log: Log; warnings: string[] } {
    const warnings: string[] = []
    return { log: withstood({ ...silent, ...log }, (text) => warnings.push(text)), warnings }
  }

  it('is called as it was given: with itself as `this`, the message and the fields', () => {
    const own = { ...silent, lines: [] as unknown[], info: (...given: unknown[]) => void own.lines.push(given) }
    withstood(own).info('closing', { runs: 'leave' })
    class Lines implements Log {
      readonly lines: string[] = []
      debug = () => {}
      info = () => {}
      error = () => {}
      warn(message: string): void {
        this.lines.push(message)
      }
    }
    const lines = new Lines()
    withstood(lines).warn('a warning')
    expect({ own: own.lines, lines: lines.lines }).to.deep.equal({
      own: [['closing', { runs: 'leave' }]],
      lines: ['a warning']
    })
  })

  it('that throws is survived, and warned of once', () => {
    const { log, warnings } = heard({
      info: () => {
        throw new Error('the disk is full')
      }
    })
    log.info('one')
    log.info('two')
    expect(warnings).to.deep.equal(['the log that the host application has given to Troupe failed: the disk is full'])
  })

  it('that rejects is survived, too: a rejection that nobody hears would end the process', async () => {
    const { log, warnings } = heard({ error: () => Promise.reject(new Error('no collector')) as unknown as undefined })
    log.error('one')
    await new Promise(setImmediate)
    expect(warnings).to.deep.equal(['the log that the host application has given to Troupe failed: no collector'])
  })
})
