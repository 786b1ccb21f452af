/** Work inside the engine that says itself when what must not happen twice begins. Source: execution-semantics 13.5.3; D34, D644. */
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import type { Execution, Executor } from '../../../src/executors/executor.ts'
import { inProcess, type Work } from '../../../src/executors/frame/in-process.ts'
import { Unrecorded } from '../../../src/executors/frame/unrecorded.ts'
import { textOf } from '../../support/engine/live.ts'
import { benchOf } from '../../support/executors/executions.ts'

const never = () => new Promise<never>(() => {})

describe('executors › what has to be sent', () => {
  let perform: (work: Work) => Promise<number> = async () => 0
  const make = (): Executor =>
    inProcess({ type: 'test', reads: 'words', sends: true, perform: (work) => perform(work) }, systemClock)
  const bench = benchOf(make)
  const recordOf = ({ state }: Execution, tries = 1) => `${state}.${tries}.state`
  /** One that an engine was at when it came to its end. */
  function cutOff(work: (work: Work) => void): Execution {
    const execution = bench.execution({})
    perform = (given) => {
      work(given)
      return never()
    }
    const engine = make()
    void engine.start(execution).ended
    engine.close?.()
    perform = async () => 7
    return execution
  }
  const errorOf = (execution: Execution) =>
    make()
      .find(execution)
      ?.ended.then(
        () => 'ended',
        ({ message }: Error) => message
      )
  const UNKNOWN = 'interrupted: outcome unknown'

  it('D34 what was cut off before it was sent never began: it is begun, and its own end is found', async () => {
    const execution = cutOff(() => {})
    expect(make().find(execution)).to.equal(undefined)
    const next = make()
    expect(await next.start(execution).ended).to.include({ exitCode: 7 })
    expect(await make().find(execution)?.ended).to.include({ exitCode: 7 })
  })
  it('13.5.3 after it was sent its outcome is unknown', async () => {
    expect(await errorOf(cutOff(({ sent }) => sent()))).to.equal(UNKNOWN)
  })
  it('D34 what was not taken after all was not sent, until it is again', async () => {
    const twice = ({ sent }: Work) => {
      sent()
      sent(false)
    }
    expect(make().find(cutOff(twice))).to.equal(undefined)
    const thrice = (work: Work) => {
      twice(work)
      work.sent()
    }
    expect(await errorOf(cutOff(thrice))).to.equal(UNKNOWN)
  })
  it('13.5.3 in doubt it was sent: after a reboot the record may be incomplete; one of an earlier release does not say', async () => {
    for (const [what, replaced, by] of [
      ['another boot', /^\S+/, 'of-another-boot'],
      ['an earlier release', /\{"sent":false\}\n/, ''],
      ['half a line', /false\}\n$/, '']
    ] as const) {
      const execution = cutOff(() => {})
      const record = readFileSync(recordOf(execution), 'utf8')
      expect(record).to.match(replaced)
      writeFileSync(recordOf(execution), record.replace(replaced, by))
      expect(await errorOf(execution), what).to.equal(UNKNOWN)
    }
  })
  it('one that was given up, or whose engine closes, is not sent any more', async () => {
    let sent = () => {}
    perform = (work) => {
      sent = work.sent
      return never()
    }
    const { execution, running, outcome } = bench.start({})
    running.kill()
    expect(await outcome).to.include({ signal: 'killed' })
    expect(sent).to.throw('the execution was abandoned')
    expect(await make().find(execution)?.ended).to.include({ signal: 'killed' })
    const left = cutOff((work) => {
      sent = work.sent
    })
    expect(sent).to.throw('the execution was abandoned')
    expect(make().find(left)).to.equal(undefined)
  })
  it('P6 it is not sent when that cannot be put on record: it never began, and has no end', async () => {
    perform = async ({ execution, sent }) => {
      rmSync(recordOf(execution))
      symlinkSync('/dev/full', recordOf(execution))
      sent()
      return 0
    }
    const { execution, outcome } = bench.start({})
    const error = await outcome.catch((error: Error) => error)
    expect(error).to.be.instanceOf(Unrecorded)
    expect(existsSync(recordOf(execution))).to.equal(false)
    expect(textOf(execution.stderr)).to.equal('')
    perform = async () => 3
    expect(await make().start(execution).ended).to.include({ exitCode: 3 })
  })
})
