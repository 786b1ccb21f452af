/** What a store holds of its runs, and what becomes of them when an engine goes on with it: compared across releases. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathOf } from '../../../src/actors/journal/recorded.ts'
import { relocate } from '../../../src/backup/relocate.ts'
import { openStore } from '../../../src/store/open.ts'
import { simulatedClock } from '../simulated/simulated-clock.ts'
import { simulate } from '../simulated/simulation.ts'
import { quickly } from './recorded-store.ts'

export interface Result {
  /** By `name/id`: the status, the state to go on from if there is one, and the nodes. Ids of sub runs follow from their calls. */
  stored: Record<string, { status: string; state?: string; nodes: Record<string, string> }>
  /** By `name/id`: how it ends when every step does, `bad` ones with code 1. */
  ends: Record<string, string>
}

/** Reads a store below a home, then lets an engine go on with it until every run has ended. @param at epoch ms */
export async function resultOf(home: string, at: number): Promise<Result> {
  const store = openStore(join(home, 'data'))
  relocate(store, [
    ['/home/troupe', home],
    ['/logs', join(home, 'logs')]
  ]) // as they were recorded
  const stored: Result['stored'] = {}
  for (const { key, value } of store.runs.getRange()) {
    const nodes: Record<string, string> = {}
    for (const { key: place, value: node } of store.nodes.getRange({ start: [...key, 0], end: [...key, '\uffff'] }))
      nodes[String(place[2])] = node.open ? `${node.record.status} ${pathOf(node.open.value)}` : node.record.status
    const { record, open } = value
    if (open) mkdirSync(record.nodeLogs, { recursive: true }) // it was there, and nothing in it is looked for
    stored[key.join('/')] = { status: record.status, ...(open ? { state: pathOf(open.value) } : {}), nodes }
  }
  await store.root.close()
  const simulation = await simulate(home, quickly, simulatedClock(at))
  await simulation.play()
  const ends = Object.fromEntries(
    Array.from(simulation.store.runs.getRange(), ({ key, value }) => [key.join('/'), value.record.status])
  )
  await simulation.crash()
  return { stored, ends }
}
