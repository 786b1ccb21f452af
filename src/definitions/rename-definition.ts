/**
 * Renames a definition: its file, its suspend flag, and its history when the DAG's name came from the file's.
 * Source: api-semantics 3.3 (rename), execution-semantics 11.14, 13.4.
 */
import type { Clock } from '../clock.ts'
import { TroupeError } from '../errors.ts'
import { inTransaction } from '../store/commit.ts'
import { readRange } from '../store/damage/damaged.ts'
import { written } from '../store/disk/written.ts'
import { checkNewName } from '../store/files/definitions.ts'
import type { SuspendFlags } from '../store/files/suspend-flags.ts'
import { activeRuns } from '../store/find-runs.ts'
import { moveHistory } from '../store/move-history.ts'
import type { Store } from '../store/open.ts'
import { restartsIn } from '../store/scheduling.ts'
import { isMove } from '../store/stored.ts'
import { refuseChange } from './code-definitions.ts'
import type { Definitions } from './definitions.ts'

export interface Renaming {
  store: Store
  definitions: Definitions
  flags: SuspendFlags
  clock: Clock
}

/** Resolves when all has moved. @throws TroupeError not_found, bad_request (name, active run), already_exists, service_unavailable */
export async function renameDefinition(
  { store, definitions, flags, clock }: Renaming,
  fileName: string,
  newFileName: string
): Promise<void> {
  checkNewName(newFileName)
  const stored = definitions.get(fileName)
  refuseChange(stored)
  const { definition, spec } = stored
  const name = definition.name || fileName
  const newName = (await definitions.read(spec, { fallbackName: newFileName })).name || newFileName
  definitions.checkFree(newFileName) // its own name is taken too
  const [active] = activeRuns(store, name)
  if (active)
    throw new TroupeError('bad_request', `${fileName} cannot be renamed: run ${active.dagRunId} is ${active.status}`)
  const move = name === newName ? undefined : { to: newName, before: clock.now() + 1 }
  const restarting = move && restartsIn(store).find(({ key }) => key.name === name)
  if (restarting)
    throw new TroupeError(
      'bad_request',
      `${fileName} cannot be renamed: run ${restarting.key.dagRunId} is being restarted, and the new run has not started`
    )
  // Before the file gets its new name, so that the next start finds a move that a crash interrupted.
  if (move) {
    await storing(async () => {
      await inTransaction(store, () => {
        store.moves.put(name, move)
        store.moves.remove(newName) // what came from there may come back
      })
      await store.root.flushed
    })
  }
  try {
    flags.carry(fileName, newFileName, () => definitions.rename(fileName, newFileName))
  } catch (error) {
    // Another definition has taken the name meanwhile: its runs are not those of this definition.
    if (move) await written(store.moves.remove(name))
    throw error
  }
  flags.set(fileName, false)
  if (move) await storing(() => moveHistory(store, name, move))
}

/** @throws TroupeError service_unavailable: the store refuses. The next start completes the move. Source: reliability P6 */
async function storing(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw new TroupeError(
      'service_unavailable',
      'the history cannot get its new name: the store refuses to be written',
      {
        cause
      }
    )
  }
}

/** Completes the moves of an engine that died; those whose file still has its old name never began. */
export async function resumeMoves({ store, definitions, flags }: Omit<Renaming, 'clock'>): Promise<void> {
  for (const { key: name, value: move } of readRange(store.moves, {}, isMove)) {
    try {
      definitions.finishRename(name, move.to)
      if (!definitions.has(name)) flags.set(name, false)
    } catch {
      continue // a folder refuses: at the next start
    }
    if (!definitions.has(name) || definitions.has(move.to)) await moveHistory(store, name, move)
    await written(store.moves.remove(name))
  }
}
