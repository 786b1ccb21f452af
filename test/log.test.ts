/** The engine's own log: what is said of failures. Source: definition-format "Operational configuration". */
import { expect } from 'chai'
import { TroupeError } from '../src/errors.ts'
import { openLog, survived } from '../src/log.ts'

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

  it('anything else is a defect, told with the place where it was thrown', () => {
    expect(told(new TypeError('x is undefined'))).to.match(
      /ERROR a defect was survived error="TypeError: x is undefined\\n {4}at .*log\.test/
    )
    expect(told('a text')).to.contain('a defect was survived error="a text"')
  })
})
