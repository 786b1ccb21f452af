/** What a reason says, what is said after a restart of the engine, and what it costs to ask. Source: docs/inspect.md. */
import { expect } from 'chai'
import { asCode } from '../../../src/definition/problem-text.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { brought, metIn } from '../../support/inspect/explanations.ts'
import { fails, one, parent, steps, succeeds } from '../../support/inspect/situations.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { simulatedFacts } from '../../support/simulated/simulated-facts.ts'
import { simulate } from '../../support/simulated/simulation.ts'

describe('explain › what a reason says', () => {
  it('each precondition that did not hold, and what it found: of a step, and of the DAG', async () => {
    const conditions = 'preconditions: [{condition: "$N", expected: "4"}, {condition: "fine"}, {condition: "unready"}]'
    const found =
      '`$N` (condition was not met: expected "4", got "3"); `unready` (condition was not met: exit status 1)'
    const unmet = { blockedBy: ['$N', 'unready'].map((name) => ({ kind: 'condition', name })) }
    const step = await brought({ spec: `env: [{N: "3"}]\n${one(`, ${conditions}`)}`, fails: 'unready' })
    expect(step.about('a')).to.deep.include({ ...unmet, text: `a was skipped: preconditions did not hold: ${found}` })
    const dag = await brought({ spec: `env: [{N: "3"}]\n${conditions}\n${one()}`, fails: 'unready' })
    expect(dag.about('dag')).to.deep.include({ ...unmet, text: `preconditions of the DAG did not hold: ${found}` })
    for (const { simulation } of [step, dag]) await simulation.store.root.close()
  })

  it('a text with backticks stands in quotes: two backticks in a row are none', async () => {
    const condition = '`date +%u`'
    const conditions = `preconditions: [{condition: "${condition}", expected: "7"}, {condition: unready}]`
    const { about, simulation } = await brought({ spec: one(`, ${conditions}`), fails: 'unready' })
    expect(about('a').text).to.match(/did not hold: "`date \+%u`" \(.*\); `unready` \(/)
    expect(about('a').text).to.not.contain('``')
    expect(about('a').blockedBy).to.deep.include({ kind: 'condition', name: condition })
    await simulation.store.root.close()
    for (const [text, shown] of [
      ['a', '`a`'],
      ['echo `x` "y"', '"echo `x` "y""'],
      ['`', '"`"'],
      ['', '""']
    ] as const)
      expect(asCode(text), text).to.equal(shown)
  })

  it('a sub DAG run that did not succeed: its first failed step and why, however deep; of several their number', async () => {
    const kids = 'steps: [{name: k, run: deep}]\n---\nname: deep\nsteps: [{name: d, command: x}]'
    const deep = await brought({ spec: parent('run: kid', kids), ...fails() })
    const inside = 'k: in the sub DAG run of deep, d ended with code 3'
    expect(deep.about('calls').text).to.equal(`calls: in the sub DAG run of kid, ${inside}`)
    const many = await brought({ spec: parent('run: kid, parallel: {items: [1, 2], maxConcurrent: 2}'), ...fails() })
    expect(many.about('calls').text).to.equal(
      'calls: 2 sub DAG runs did not succeed; in the first of kid, k ended with code 3'
    )
    for (const { simulation } of [deep, many]) await simulation.store.root.close()
  })

  it('since when, until when, what blocks it and what would unblock it', async () => {
    const { about, simulation } = await brought({
      spec: steps(
        '{name: a, command: x, retryPolicy: {limit: 2, intervalSec: 60}}',
        '{name: b, command: x, depends: a}'
      ),
      ...fails(),
      until: ['node/a', 'waiting']
    })
    const { since = 0, until, ...reason } = about('a')
    expect(reason).to.deep.equal({
      cause: 'retry_wait',
      about: { kind: 'node', name: 'a' },
      waiting: true,
      text: 'a has failed and waits 60 s for retry 1 of 2',
      blockedBy: [{ kind: 'clock', name: 'retryPolicy.intervalSec' }],
      unblock: 'It is executed again when the interval of its retryPolicy is over.'
    })
    expect(until).to.equal(since + 60_000)
    expect(about('b').blockedBy).to.deep.equal([{ kind: 'step', name: 'a' }])
    expect(about('dag')).to.deep.include({
      about: { kind: 'run', name: 'dag' },
      blockedBy: [{ kind: 'step', name: 'a' }]
    })
    await simulation.store.root.close()
  })
  it('a run in which all went well has no reasons; one step can be asked for, an unknown one is refused', async () => {
    const { reasons, facts, key, simulation } = await brought({ spec: one() })
    expect(reasons).to.deep.equal([])
    expect(facts.explain(key, 'a').reasons).to.deep.equal([])
    expect(() => facts.explain(key, 'b')).to.throw('has no step or handler named "b"')
    await simulation.store.root.close()
  })
})

describe('explain › after a restart of the engine', () => {
  /** The engine dies while step `a` is at work; the next one finds what `state` says. */
  async function cutOff(onInterrupt: string, found: 'gone' | 'undead') {
    const home = temporaryFolder()
    const clock = simulatedClock()
    const first = await brought({
      spec: `onInterrupt: ${onInterrupt}\n${one()}`,
      home,
      clock,
      until: ['node/a', 'attempting.executing']
    })
    await first.simulation.crash()
    let end = (_: { exitCode: number; at: number; offset: number }) => {}
    const ended = new Promise<{ exitCode: number; at: number; offset: number }>((resolve) => {
      end = resolve
    })
    const find = () => ({
      began: Promise.resolve(clock.now()),
      ended: found === 'gone' ? Promise.reject(new Error('interrupted: outcome unknown')) : ended,
      over: false,
      stop: () => {},
      kill: () => {}
    })
    const again = await simulate(home, () => succeeds, simulatedClock(clock.now() + 1_000), { find })
    return { again, key: first.key, end }
  }
  it('what lives of a step that may not go on is being killed', async () => {
    const { again, key } = await cutOff('fail', 'undead')
    await again.play(() => again.journal(key).some(({ to }) => to === 'attempting.interrupting'))
    expect(metIn(again, key).causes).to.include({ a: 'interrupting' })
    await again.store.root.close()
  })
  it('a step whose outcome cannot be known is interrupted', async () => {
    const { again, key } = await cutOff('resume', 'gone')
    await again.play()
    const { causes, about } = metIn(again, key)
    expect(causes).to.include({ a: 'interrupted' })
    expect(about('a').text).to.equal('a restart of the engine has interrupted a: outcome unknown')
    expect(about('a').unblock).to.contain('onInterrupt: rerun, at the step or at the top of the definition')
    await again.store.root.close()
  })
  it('a run whose state cannot be read is given up', async () => {
    const home = temporaryFolder()
    const first = await brought({ spec: one(), home, until: ['node/a', 'attempting.executing'] })
    const { store } = first.simulation
    const { open: _, ...closed } = store.runs.get(['dag', 'r']) ?? { record: {} as never, seq: 0 }
    await store.runs.put(['dag', 'r'], closed)
    await first.simulation.crash()
    const again = await simulate(home, () => succeeds)
    await again
      .play(() => again.record(first.key)?.status === 'failed')
      .catch((error: Error) => expect(error.message).to.contain('not readable'))
    const { causes, about, facts, key } = metIn(again, first.key)
    expect(causes).to.deep.equal({ a: 'interrupted', dag: 'state_unreadable' })
    expect(about('dag').text).to.match(/^the run could not continue after a restart: .* is not readable/)
    expect(about('dag').unblock).to.contain('retry')
    expect(facts.events(key).events.at(-1)?.record, 'the journal has its end, too').to.include({
      event: 'run.parked',
      to: 'failed'
    })
    expect(facts.run(key).actors.map(({ status }) => status)).to.deep.equal(['done', 'done'])
    await again.store.root.close()
  })
})

describe('explain › what it costs', () => {
  it('the queues are read for a run that waits in one, and for no other', async () => {
    const simulation = await simulate(temporaryFolder(), () => ({ ms: 60_000, exitCode: 0 }), simulatedClock())
    const facts = simulatedFacts(simulation, {
      queues: () => {
        throw new Error('100,000 runs wait')
      }
    })
    const key = await simulation.start(`name: q\n${one()}`, 'r')
    expect(facts.explain(key).reasons).to.have.length.above(0)
    await simulation.play()
    expect(facts.explain(key).subject).to.include({ status: 'succeeded' })
    await simulation.store.root.close()
  })
})
