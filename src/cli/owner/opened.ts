/** An engine opened for a command: in this process, in the one that owns the home, or a server elsewhere. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { OwnedHome } from '../../api/owner/home.ts'
import type { ListenTree } from '../../api/tree-events.ts'
import type { Client, RunDetails } from '../../client/index.ts'
import type { Acts } from './acts.ts'
import type { Listen } from './held-run.ts'

export interface FollowOptions {
  /** Number of an event of the run: all later ones are wanted. Default: those from now on. */
  after?: number | undefined
  /** Told once when the engine is gone and waited for. */
  say?: ((text: string) => void) | undefined
}

export interface OpenClient extends OwnedHome {
  /** The engine lives in this process. */
  readonly here: boolean
  /** The engine is a server elsewhere, whose files are not here. */
  readonly isElsewhere: boolean
  /** The API of the engine, wherever it is. All functions throw TroupeError. */
  readonly api: Client
  /** What it is asked to do beside that, likewise. */
  readonly acts: Acts
  /** Resolves with the run when it has ended; `listen` gets its events. @throws TroupeError not_found */
  follow(key: RunKey, listen: Listen, options?: FollowOptions): Promise<RunDetails>
  /**
   * Resolves when a root run has ended; `listen` gets its events, and those of all sub DAG runs below it.
   * @param joined called when no event is missed from then on; again when another engine has taken over
   */
  watchTree(key: RunKey, listen: ListenTree, joined: () => void): Promise<unknown>
  /** Resolves when no other command uses the engine in this process; later ones are refused. */
  unneeded(): Promise<void>
  /** Lets go of everything that is waited for, and closes an engine in this process; running steps survive, and the next engine continues their runs. */
  close(): Promise<void>
}
