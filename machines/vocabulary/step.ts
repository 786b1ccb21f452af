/** A step of a plan: every default filled in, strings unexpanded. Source: definition-format "Step fields". No logic. */
import type { WAITS } from './lists.ts'
import type { Condition, ContinueOn, OnInterrupt, OnMissing, Repeat, Retry } from './policies.ts'
import type { EnvEntry, Json, Param } from './values.ts'

/** Names of functions of the host application that answer for a step, once, before its first attempt; our addition. */
export interface StepFunctions {
  /** Whether the step runs; after its other preconditions. */
  preconditions?: string
  /** Further variables of the step. */
  env?: string
  /** The params of its function, or of the workflow that it calls. */
  params?: string
  /** The items of `each`, or of `parallel`, where each is the params of a call. */
  items?: string
  /** What is asked of the person who gives a signal or an approval. */
  ask?: string
  /** How long a sleep lasts, or until when. */
  for?: string
}

/** `parallel`: the same sub workflow once per item. Source: execution-semantics 9.4. */
export interface Parallel {
  /** Strings and flat maps as written, or one string that is expanded and split when the step runs; absent: `functions.items` gives them. */
  items?: string | (string | Record<string, string>)[]
  maxConcurrent: number
}

/** `each`: the function of a step is called once for each item; our addition. */
export interface Each {
  /** As written, or a text that is expanded to JSON when the step runs; absent: `functions.items` gives them. */
  items?: string | Json[]
  maxConcurrent: number
  /** `functions.items` is asked for one page of items after the other, for so many at most; absent: once. */
  pages?: number
  /** The function that says what the step has come to with a page; absent: how many pages and items there were. */
  collect?: string
}

/**
 * The executor of a step by its canonical type, its config unexpanded. A step that names none gets that of the DAG: `docker`
 * or `ssh` without config where the DAG has `container` or `ssh`. Source: definition-format "Executors", execution-semantics 10.
 */
export interface StepExecutor {
  /** `shell`, `docker`, `ssh`, `http`, `archive`, `mail`, `jq`, `dag`, `gha`, or one of the host application's. */
  type: string
  config: { [key: string]: Json }
  /** A docker step with its own container, even where the DAG has one; `ports` and `network` of its config are those of `Container`. */
  own?: true
}

export type WaitKind = (typeof WAITS)[number]

/** What a step or a run waits for; `until` epoch ms, absent: without a limit. */
export interface Awaits {
  for: WaitKind
  until?: number
}

/**
 * What a step of the types `signal`, `approval` and `sleep` waits for; its `timeoutMs` is the limit of the wait. Texts unexpanded.
 * Source: embedding 1, 2.5.
 */
export interface Wait {
  kind: WaitKind
  /** What is asked of the person who gives the signal. */
  ask?: string
  /** JSON Schema of the payload of a signal; absent: any. */
  payloadSchema?: { [key: string]: Json }
  onTimeout?: 'fail' | 'skip' | 'succeed'
  /** What follows from the refusal of an approval; absent: fail. */
  onRefusal?: 'fail' | 'succeed'
  /** How long a sleep lasts, an ISO 8601 duration, or the instant of its end. */
  for?: string
}

/** The texts of a wait whose variables have been evaluated. */
export type WaitTexts = Pick<Wait, 'ask' | 'for'>

/** One step of a plan: all defaults filled in, strings unexpanded. Source: definition-format "Step fields". */
export interface Step {
  name: string
  id?: string
  description: string
  /** A command as written: one line for the shell, any text for executors that know no scripts. Exclusive with `argv`. */
  command?: string
  /** A list command: program, then arguments. */
  argv?: string[]
  args: string[]
  /** Script body; a multi-line `command` arrives here too. */
  script?: string
  /** Program and flags, when the step names a shell. */
  shell?: string[]
  /** Working directory as written. */
  dir?: string
  stdout?: string
  stderr?: string
  /** Variable that captures stdout. */
  output?: string
  /** Names of steps, chain dependencies included. */
  depends: string[]
  preconditions: Condition[]
  continueOn: ContinueOn
  retry: Retry
  env: EnvEntry[]
  /** Limit of one execution; 0: none. */
  timeoutMs: number
  /** Signal name sent on stop; absent: SIGTERM. */
  signalOnStop?: string
  executor: StepExecutor
  /** Set exactly when the step waits for something outside: it has no executor then. */
  wait?: Wait
  /** Absent: the step runs once. */
  repeat?: Repeat
  /** A sub workflow: a local name, or a path. May contain variables. Set exactly when `executor.type` is `dag`. */
  call?: string
  /** Parameters of a sub workflow, or the inputs of an action; unexpanded. */
  params?: Param[]
  parallel?: Parallel
  each?: Each
  mailOnError: boolean
  /** Packages for a shell that installs them (`nix-shell`). */
  shellPackages: string[]
  workerSelector?: Record<string, string>
  /** Absent: that of the DAG. */
  onInterrupt?: OnInterrupt
  /** From stop to SIGKILL; absent: that of the DAG. */
  cleanUpMs?: number
  /** Absent: it waits. */
  onMissing?: OnMissing
  functions?: StepFunctions
}
