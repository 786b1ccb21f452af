/** A worker, and a place on one. Source: distribution 1, 2. No logic. */

/** The worker that a run was given to, for as long as it lasts. */
export interface Placement {
  /** Id of the worker's home folder. */
  home: string
  /** Id of the worker when the run was placed. */
  id: string
  /** Increases with each placement of the engine: who holds an older one must not act on it. */
  lease: number
  /** No slot was free there: it goes in the place of a run that only waits for its sub runs. */
  extra?: true
}

export type PlacedOn = Pick<Placement, 'id' | 'lease'>

/** Use of its machine, percent; absent: not known. */
export interface WorkerLoad {
  cpu?: number
  mem?: number
  disk?: number
}

/** What a worker says about itself. */
export interface WorkerSelf {
  id: string
  labels: Record<string, string>
  /** Runs that it takes at a time. */
  slots: number
  /** Version of the program. */
  version: string
  host: string
  pid: number
  /** Types of steps that it can run. */
  executors: string[]
}

/** What a run needs of a worker. Source: definition-format `workerSelector`. */
export interface WorkerNeeds {
  /** In the order of their names. */
  labels: Record<string, string>
  /** Types of its steps, sorted. */
  executors: string[]
  /** Homes of the workers that the callers of a sub run are on. There it uses their slot. */
  around?: string[]
  /** Home of the worker that an earlier attempt of the run was on: it must be certain that nothing of that is at work. */
  after?: string
}
