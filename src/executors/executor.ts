/** The interface of executors: start one execution of a step, or find it again after a restart, and report how it ended. */
import type { Json, RegistryAuths, RunKey, Smtp, SshTarget, Step } from '../../machines/vocabulary.ts'
import type { Secrets } from '../masking/secrets.ts'
import type { Account } from '../platform/account.ts'
import type { StepLimits } from './limits/step-limits.ts'

/** The files of an execution. */
export interface Traces {
  /** Absolute paths. Logs are appended to. */
  stdout: string
  stderr: string
  /** Prefix of the paths of its records, `<folder>/<step>.<execution>`. */
  state: string
  /** The signal that asked a found execution to stop before the restart. */
  stopped?: string
  /** The log folder of a found execution is gone after the restart, and its records with it. */
  isLost?: boolean
  /** Absent: nothing to mask. */
  masking?: Masking
}

/** The output of an execution is masked before it is written. Source: execution-semantics 14.4.6. */
export interface Masking {
  secrets: Secrets
  /** The output is captured: `marksPath(stdout)` records what the masks in the stdout log stand for. */
  marks: boolean
}

/** What a step in a container needs besides its config. */
export interface ContainerSurroundings {
  /** Labels of a container of this execution, without the engine's prefix. */
  labels: Record<string, string>
  /** Directory against which relative binds are resolved, absolute. */
  base: string
  registryAuths?: RegistryAuths
  /** The container of the run, in which the step is executed: its name, and the directory inside if the step names one. */
  shared?: { container: string; workingDir?: string }
}

/** One execution, with all variables expanded. */
export interface Execution extends Traces {
  step: Step
  /** Expanded texts; absent as in the step. */
  command?: string
  argv?: string[]
  args: string[]
  script?: string
  /** For an executor that reads words: command, list command and `args` as one list, without quotes. */
  words?: string[]
  /** `executor.config` with all texts expanded. */
  config?: { [key: string]: Json }
  /** The DAG's mail server, for an executor that needs it and if there is one. */
  smtp?: Smtp
  /** The machine of an ssh step, expanded; paths absolute. */
  ssh?: SshTarget
  /** Inputs of an action, by name. */
  inputs?: Record<string, string>
  /** The part of the environment for a remote step or an action. */
  remoteEnv?: Record<string, string>
  /** Present for an executor that needs a container. */
  container?: ContainerSurroundings
  /** Program and flags of the step's, the DAG's and the default shell. */
  shells: { step?: string[]; dag?: string[]; fallback: string }
  /** Absolute path of an existing folder. */
  workingDir: string
  /** The complete environment. */
  env: Record<string, string>
  /** The user whom a local process runs as; absent: that of the engine. */
  account?: Account
  /** How much of the machine a local process may use; absent: all there is. */
  limits?: StepLimits
  /** Files that receive a copy of the logs; their folders exist. */
  copies?: Copies
}

export interface Copies {
  stdout?: string
  stderr?: string
  /** When both copies are one file: another log that receives both streams. */
  both?: string
}

export interface ExecutionEnd {
  /** -1: ended by a signal. */
  exitCode: number
  /** Name of that signal, such as `terminated`. */
  signal?: string
  /** The error, instead of `exit status <n>`. */
  cause?: string
  /** The limit of the step that stood in its way, as a clause; absent: none. */
  limit?: string
  /** Epoch ms. */
  at: number
  /** Offset in the stdout log at which its output begins. */
  offset: number
  /** Offset in the stdout log at which the value of `output` begins; absent: the same. */
  outputFrom?: number
}

/** A running execution. */
export interface Running {
  /** Resolves when it has left the starting window, epoch ms. */
  began: Promise<number>
  /** @throws TroupeError internal_error when it could not be started, or its outcome is unknown */
  ended: Promise<ExecutionEnd>
  /** For an adopted execution: its end is recorded. Absent or false: it may be alive, or that is unknown. */
  over?: boolean | Promise<boolean>
  /** For an adopted execution: its process is gone, and its end is not recorded. */
  isGone?: boolean
  /** For an adopted execution: it was code of the host application, at work in the process of an engine. */
  isHosted?: true
  /** For an adopted execution: its output is lost, at least in part. */
  isOutputLost?: boolean
  /** Asks it to stop: `SIGTERM`, or the step's `signalOnStop`. */
  stop(signal: string): void
  kill(): void
}

/**
 * What an executor may ask for beside the texts of a step:
 * - `container`: the settings of a step in a container
 * - `inputs`: the step's params, and what of the environment is not the server's (`inputs`, `remoteEnv`)
 * - `smtp`: the DAG's mail server
 */
export type Need = 'container' | 'inputs' | 'smtp'

export interface Executor {
  type: string
  /** How the executor receives the command: as text for a shell (default) or for a remote one, as words, or whole, for its own language. */
  reads?: 'shell' | 'remote' | 'words' | 'text'
  /** An executor that reads words passes a script to a program, usually a shell. Absent: the executor reads the script itself. */
  handsOnScripts?: true
  /** Absent: texts, config and environment are all. */
  needs?: readonly Need[]
  start(execution: Execution): Running
  /** Prefetches the records of executions in these log folders, which will soon be looked for. `signal` cancels that. */
  prefetch?(nodeLogs: string[], signal: AbortSignal): Promise<void>
  /** Adopts an execution that may have begun before a restart, or reads its recorded end. Undefined: it never began, `start` begins it. */
  find(traces: Traces): Running | undefined
  /**
   * Kills an execution that outlives the engine and that no engine will look for. Absent: none outlives it, or they are removed otherwise.
   * @throws Error when that is impossible
   */
  abandon?(traces: Traces): Promise<void> | void
  /** Abandons all executions of a run that cannot be read. */
  abandonRun?(run: RunKey): void
  /** The engine closes: executions inside its process are aborted, and count as interrupted at the next start. */
  close?(): void | Promise<void>
}
