/** What the judge of the simulation takes for too many runs on a worker. Source: distribution 1; docs/decisions/workers.md (D1210). */
import { expect } from 'chai'
import type { Plan, RunRecord } from '../../../machines/vocabulary.ts'
import { runOnBus } from '../../../src/actors/workers/tasks/task-ids.ts'
import { type Changes, noChanges } from '../../../src/store/changes.ts'
import { key, plan, step } from '../../support/charts/plans.ts'
import { openFindings } from '../findings.ts'
import type { Process } from './processes.ts'
import { openPlacementRules } from './rules.ts'

const HOME = 'a'.repeat(16)
const PLANS: Record<string, Plan> = {
  calls: plan([step('call', { call: 'sub', timeoutMs: 5 }), step('work', { timeoutMs: 5 })]),
  sub: plan([step('work')])
}

/** A worker with one slot; `wait` holds it and waits for sub runs, and `extra` is in its place. */
function scene() {
  let now = 100_000
  const findings = openFindings(() => now)
  const alive: Process[] = []
  const machine = {
    name: 'wa',
    labels: {},
    slots: 1,
    homeId: () => HOME,
    processes: { all: () => alive },
    quietSince: () => undefined
  }
  const rules = openPlacementRules(
    findings,
    () => now,
    () => [machine]
  )
  rules.heard(HOME)
  let seq = 0
  const changes = (of: Partial<Changes>): void => rules.committed({ ...noChanges(), ...of })
  const record = (id: string, lease: number, more: Partial<RunRecord> = {}): RunRecord => ({
    ...key(id),
    status: 'running',
    attempt: 1,
    createdAt: 0,
    startedAt: now,
    params: [],
    log: '',
    nodeLogs: `/${id}`,
    plan: lease === 1 ? 'calls' : 'sub',
    placement: { home: HOME, id: 'wa', lease },
    ...more
  })
  const runs = new Map<string, RunRecord>()
  function place(id: string, lease: number, more: Partial<RunRecord> = {}): void {
    const one = record(id, lease, more)
    runs.set(id, one)
    changes({
      plans: new Map(Object.entries(PLANS).map(([hash, plan]) => [hash, { plan, spec: '' }])),
      runs: new Map([[`run/dag/${id}`, { value: { record: one, seq: 0 } }]])
    })
  }
  const says = (id: string, actor: string, event: string, to: string) =>
    changes({ journal: [{ run: key(id), seq: ++seq, at: now, actor: `run/dag/${id}${actor}`, event, from: 'x', to }] })
  /** A process of it. @returns what the judge says of that */
  function begins(id: string, name = 'work'): string[] {
    const { attempt = 1, placement } = runs.get(id) ?? {}
    const state = `/w/runs/${runOnBus(key(id), attempt)}-${placement?.lease}/logs/${name}.1`
    const process: Process = { state, step: name, machine: 'wa', beganAt: now, isLost: false }
    const before = findings.all.length
    rules.began(process, undefined)
    alive.push(process)
    return findings.all.slice(before).map(({ rule, seen }) => `${rule}: ${seen.split(' ').slice(1).join(' ')}`)
  }
  const extra = { placement: { home: HOME, id: 'wa', lease: 2, extra: true as const } }
  place('wait', 1)
  now += 60_000
  rules.heard(HOME)
  place('extra', 2, extra)
  return {
    place,
    says,
    begins,
    extra,
    pass: (ms: number) => {
      now += ms
      rules.heard(HOME)
    }
  }
}
const TOO_MANY = ['D14 slots are never exceeded: wa has 2 runs, and 1 slots']

describe('simulation › the judge of workers › D14', () => {
  it('a run in whose place another one is does nothing, whichever begins first', () => {
    const one = scene()
    expect([one.begins('extra'), one.begins('wait')]).to.deep.equal([[], TOO_MANY])
    const other = scene()
    expect([other.begins('wait'), other.begins('extra')]).to.deep.equal([[], TOO_MANY])
  })
  it('but one that was stopped, or whose call is out of time, may go on beside it', () => {
    for (const [actor, event, to] of [
      ['', 'run.stop', 'stopping'],
      ['', 'alarm.rang', 'stopping'],
      ['/node/call', 'alarm.rang', 'attempting.expiring.asked']
    ] as const) {
      const { says, begins } = scene()
      says('wait', actor, event, to)
      expect([begins('extra'), begins('wait', 'onExit')], event).to.deep.equal([[], []])
      expect(begins('extra', 'next'), 'the other one goes on').to.deep.equal([])
    }
  })
  it('not because another step of it, or an earlier call, was out of time', () => {
    const { says, begins } = scene()
    says('wait', '/node/work', 'alarm.rang', 'attempting.expiring.asked')
    expect([begins('extra'), begins('wait')]).to.deep.equal([[], TOO_MANY])
    const before = scene()
    before.says('wait', '/node/call', 'alarm.rang', 'attempting.expiring.asked')
    before.pass(60_000)
    before.place('extra', 2, { ...before.extra, startedAt: 220_000 })
    expect([before.begins('extra'), before.begins('wait')]).to.deep.equal([[], TOO_MANY])
  })
  it('nor for a third run, nor for one that was placed later and stopped, nor where nobody was placed beyond the slots', () => {
    const third = scene()
    third.says('wait', '', 'run.stop', 'stopping')
    third.place('third', 3)
    expect([third.begins('extra'), third.begins('wait'), third.begins('third')]).to.deep.equal([[], [], TOO_MANY])
    const later = scene()
    later.says('extra', '', 'run.stop', 'stopping')
    expect([later.begins('wait'), later.begins('extra')]).to.deep.equal([[], TOO_MANY])
    const plain = scene()
    plain.place('extra', 2)
    plain.says('wait', '', 'run.stop', 'stopping')
    expect([plain.begins('extra'), plain.begins('wait')]).to.deep.equal([[], TOO_MANY])
  })
})
