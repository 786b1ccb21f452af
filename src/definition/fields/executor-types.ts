/** The executor types that definitions may name. Data. Source: definition-format "Executors", execution-semantics 10. */

/** Executor types, and other names a definition may give them. The empty name is the shell's. */
export const EXECUTORS = {
  shell: ['', 'command'],
  docker: ['container'],
  ssh: [],
  http: [],
  archive: [],
  mail: [],
  jq: [],
  dag: ['subworkflow'],
  function: [],
  gha: ['github_action', 'github-action'],
  signal: [],
  approval: [],
  sleep: []
} as const satisfies Record<string, readonly string[]>

export type ExecutorType = keyof typeof EXECUTORS

const TYPES = new Map(
  Object.entries(EXECUTORS).flatMap(([type, aliases]) =>
    // The cast: the keys of a constant.
    [type, ...aliases].map((name) => [name, type as ExecutorType])
  )
)

export const executorNames: readonly string[] = [...TYPES.keys()].filter((name) => name !== '')

/** The executor type that a name stands for; absent: there is none. */
export const executorType = (name: string): ExecutorType | undefined => TYPES.get(name)
