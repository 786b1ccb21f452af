/** Events of a run and of all sub DAG runs below it, for clients that show the output of their steps. Source: docs/cli.md (start, logs). */
import type { RunKey, RunRecord } from '../../machines/vocabulary.ts'
import type { Engine, EngineEvent, RunView } from '../engine/engine.ts'

/** Where a run of the tree stands, and where its steps write. */
export interface TreePlace {
  key: RunKey
  /** Folder of the logs of its steps. */
  nodeLogs: string
  /** The caller of the run; absent: the root run. */
  caller?: { parent: RunKey; step: string }
}

/** Called with every transition in the tree, in order. */
export type ListenTree = (event: EngineEvent, place: TreePlace) => void

/** Runs of other trees that are remembered, so that each is looked up once: an engine may live for months. */
const MOST_KNOWN = 10_000

/**
 * Follows the tree below a root run from now on. Resolves with the root run when it has ended.
 * @param joined called when nothing that happens from then on is missed
 * @throws TroupeError not_found
 */
export async function watchTree(
  engine: Engine,
  root: RunKey,
  listen: ListenTree,
  joined: () => void = () => {}
): Promise<RunView> {
  const places = new Map<string, TreePlace | undefined>()
  const end = engine.subscribe((event) => {
    const { run, from, step } = event
    if (!run) return
    const id = `${run.name}/${run.dagRunId}`
    // A run that begins again does so in another folder.
    if (!places.has(id) || (from === '' && step === undefined)) {
      if (places.size >= MOST_KNOWN) places.clear()
      places.set(id, placeOf(engine.record(run), root))
    }
    const place = places.get(id)
    if (place) listen(event, place)
  })
  try {
    const ended = engine.result(root)
    joined()
    return await ended
  } finally {
    end()
  }
}

/** Undefined: it is of another tree. */
function placeOf(record: RunRecord | undefined, root: RunKey): TreePlace | undefined {
  if (!record) return undefined
  const { name, dagRunId, nodeLogs, caller } = record
  const top = caller?.root ?? record
  if (top.name !== root.name || top.dagRunId !== root.dagRunId) return undefined
  const key = { name, dagRunId }
  return caller ? { key, nodeLogs, caller: { parent: caller.parent, step: caller.step } } : { key, nodeLogs }
}
