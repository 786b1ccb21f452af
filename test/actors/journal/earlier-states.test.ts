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
})
