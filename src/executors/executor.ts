/** What an executor is: it begins one execution of a step, or finds it again after a restart, and says how it ended. */
import type { Json, RegistryAuths, RunKey, Smtp, SshTarget, Step } from '../../machines/vocabulary.ts'
import type { Secrets } from '../masking/secrets.ts'

/** Where an execution leaves its traces. */
export interface Traces {
  /** Absolute paths. Logs are appended to. */
  stdout: string
  stderr: string
  /** Start of the paths of its records, `<folder>/<step>.<execution>`. */
  state: string
  /** Of one that is looked for: the signal that has asked it to stop before the restart. */
  stopped?: string
  /** Of one that is looked for: its log folder was gone after the restart, and with it whatever had been recorded. */
  isLost?: boolean
  /** Absent: nothing has to be masked. */
  masking?: Masking
}

/** Whatever the execution writes is masked before it is written. Source: execution-semantics 14.4.6. */
export interface Masking {
  secrets: Secrets
  /** Its output is captured: what the masks in the stdout log stand for is noted in `marksPath(stdout)`. */
  marks: boolean
}

/** What a step in a container is given beside its config. */
export interface ContainerSurroundings {
  /** What a container of this execution is known by: labels without the engine's prefix. */
  labels: Record<string, string>
  /** Directory that a relative bind is resolved against, absolute. */
  base: string
  registryAuths?: RegistryAuths
  /** The run has a container, and the step is executed in it: its name, and the directory inside where the step names one. */
  shared?: { container: string; workingDir?: string }
}

/** One execution, everything expanded. */
export interface Execution extends Traces {
  step: Step
  /** Texts after expansion; absent as in the step. */
  command?: string
  argv?: string[]
  args: string[]
  script?: string
  /** Of an executor that reads words: command, list command and `args` as one list, without quotes. */
  words?: string[]
  /** `executor.config` with every text in it expanded. */
  config?: { [key: string]: Json }
  /** Of an executor that needs it: the DAG's mail server, if it has one. */
  smtp?: Smtp
  /** The machine of an ssh step, expanded; paths absolute. */
  ssh?: SshTarget
  /** Inputs of an action, by name. */
  inputs?: Record<string, string>
  /** What of the environment a remote step, or an action, is given. */
  remoteEnv?: Record<string, string>
  /** Of an executor that needs it. */
  container?: ContainerSurroundings
  /** Program and flags of the step's, the DAG's and the default shell. */
  shells: { step?: string[]; dag?: string[]; fallback: string }
  /** Absolute, exists. */
  workingDir: string
  /** The whole environment. */
  env: Record<string, string>
  /** Files that get a copy of the logs; their folders exist. */
  copies?: Copies
}

export interface Copies {
  stdout?: string
  stderr?: string
  /** When the two are one file: a log of our own that gets both, too. */
  both?: string
}

/** How an execution ended. */
export interface ExecutionEnd {
  /** -1: ended by a signal. */
  exitCode: number
  /** Name of that signal, such as `terminated`. */
  signal?: string
  /** What is said of it instead of `exit status <n>`. */
  cause?: string
  /** Epoch ms. */
  at: number
  /** Where in the stdout log its own output begins. */
  offset: number
  /** Where in the stdout log begins what `output` takes of it; absent: at the same place. */
  outputFrom?: number
}

/** An execution at work. */
export interface Running {
  /** Resolves when it has left the starting window, epoch ms. */
  began: Promise<number>
  /** @throws TroupeError internal_error when it could not be started, or its outcome cannot be known */
  ended: Promise<ExecutionEnd>
  /** Of one that was found: its end is on record. Absent or false: it may be alive, or nobody can know. */
  over?: boolean | Promise<boolean>
  /** Of one that was found: nobody is there any more, and its end is not on record. */
  isGone?: boolean
  /** Of one that was found: what it has written is gone, or a part of it. */
  isOutputLost?: boolean
  /** Asks it to stop: `SIGTERM`, or the step's `signalOnStop`. */
  stop(signal: string): void
  kill(): void
}

/**
 * What an executor may ask for beside the texts of a step:
 * - `container`: what a step in a container is given
 * - `inputs`: the step's params, and what of the environment is not the server's (`inputs`, `remoteEnv`)
 * - `smtp`: the DAG's mail server
 */
export type Need = 'container' | 'inputs' | 'smtp'

export interface Executor {
  type: string
  /** How the command reaches it: as text for a shell (default) or for one elsewhere, as words, or whole, for a language of its own. */
  reads?: 'shell' | 'remote' | 'words' | 'text'
  /** A script is given to a program, mostly a shell, by an executor that reads words. Absent: the executor reads it itself. */
  handsOnScripts?: true
  /** Absent: texts, config and environment are all. */
  needs?: readonly Need[]
  start(execution: Execution): Running
  /** Many executions in these log folders will soon be looked for: what is recorded of them may be read before. `signal` gives that up. */
  foresee?(nodeLogs: string[], signal: AbortSignal): Promise<void>
  /** An execution that may have begun before a restart: adopted, or its recorded end. Undefined: it never began, and now only `start` begins it. */
  find(traces: Traces): Running | undefined
  /**
   * Kills an execution that outlives the engine and that nobody will look for. Absent: none does, or they are swept away.
   * @throws Error why that cannot be done, where it takes a while
   */
  abandon?(traces: Traces): Promise<void> | void
  /** The same for whatever is at work of a run that cannot be read. */
  abandonRun?(run: RunKey): void
  /** The engine closes: what works inside its process is given up, and counts as interrupted at the next start. */
  close?(): void | Promise<void>
}
