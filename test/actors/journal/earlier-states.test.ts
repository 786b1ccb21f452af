/** Stored states of nodes that the chart no longer has. Source: design/architecture 5; machines/node.ts. */
import { expect } from 'chai'
import { openRunState } from '../../../machines/policy/readiness.ts'
import { persistedRun } from '../../../src/actors/journal/persisted.ts'
import type { OpenState, StoredNode } from '../../../src/store/stored.ts'
import { key, plan, step } from '../../support/charts/plans.ts'

describe('a node as an earlier release stored it', () => {
  it('one that waited in attempting.unsupported goes on as an attempt that looks for its executor', () => {
    const all = plan([step('a')])
    const input = { run: key(), place: 0, attempt: 1 }
    const node: StoredNode = {
      record: { step: 'a', status: 'running', retryCount: 0, doneCount: 0 },
      open: {
        value: { attempting: 'unsupported' },
        context: { place: 0, attempt: 1 },
        children: { attempt: { src: 'attempt', input } }
      }
    }
    const open: OpenState = { value: 'working', context: { runState: openRunState(all.steps, 0, []) }, children: {} }
    const { children } = persistedRun(key(), all, open, new Map([[0, node]])) as {
      children: Record<
        string,
        { snapshot: { value: unknown; children: Record<string, { snapshot: { input: object } }> } }
      >
    }
    const [restored] = Object.values(children)
    expect(restored?.snapshot.value).to.deep.equal({ attempting: 'executing' })
    expect(restored?.snapshot.children.attempt?.snapshot.input).to.include({ attempt: 1, resumed: true })
  })
  it('one of a run on a worker, whose charts did not know that, learns of it from the record of the run', () => {
    const all = plan([step('a')])
    const attempt = { src: 'attempt', input: { run: key(), place: 0, attempt: 1 } }
    const node: StoredNode = {
      record: { step: 'a', status: 'running', retryCount: 0, doneCount: 0 },
      open: { value: { attempting: 'executing' }, context: { place: 0, attempt: 1 }, children: { attempt } }
    }
    const open: OpenState = { value: 'working', context: {}, children: {} }
    const on = { home: 'h', id: 'wa', lease: 7 }
    type Restored = { context: object; children: Record<string, { snapshot: { context: object } }> }
    const restored = (context: object) =>
      persistedRun(key(), all, { ...open, context } as OpenState, new Map([[0, node]]), { on }) as Restored
    const { context, children } = restored({})
    expect(context).to.deep.include({ placement: { id: 'wa', lease: 7 } })
    expect(Object.values(children)[0]?.snapshot.context).to.deep.include({ placement: { id: 'wa', lease: 7 } })
    const known = { placement: { id: 'wb', lease: 8 } }
    expect(restored(known).context, 'what a chart knows counts').to.deep.include(known)
  })
})
