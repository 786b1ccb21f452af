/** The last lines of logs. Source: docs/cli.md "troupe logs". */
import { expect } from 'chai'
import type { Listener, OutputStep } from '../../../src/cli/output/listener.ts'
import { tailOf } from '../../../src/cli/output/tail.ts'

const step = (label: string): OutputStep => ({ run: { name: 'etl', dagRunId: 'r1' }, step: label, label, top: label })

describe('command line › logs --tail', () => {
  it('has the last lines of all steps together, with their times; what comes later passes at once', async () => {
    const told: string[] = []
    const tell: Listener['lines'] = async (of, stream, lines, seconds) => {
      for (const [at, line] of lines.entries()) told.push(`${of.label} ${stream} ${line} ${seconds?.[at]}`)
    }
    const tail = tailOf(3, tell)
    for (let line = 0; line < 20; line++) await tail.lines(step('a'), 'stdout', [`${line}`], [line])
    await tail.lines(step('b'), 'stderr', ['x', 'y'], [20, undefined])
    expect(told).to.deep.equal([])
    await tail.pass()
    expect(told).to.deep.equal(['a stdout 19 19', 'b stderr x 20', 'b stderr y undefined'])
    await tail.lines(step('a'), 'stdout', ['later'])
    expect(told.at(-1)).to.equal('a stdout later undefined')
  })
  it('has all where there are fewer', async () => {
    let count = 0
    const tail = tailOf(10, async (_of, _stream, lines) => {
      count += lines.length
    })
    await tail.lines(step('a'), 'stdout', ['1', '2'], [1, 1])
    await tail.pass()
    expect(count).to.equal(2)
  })
})
