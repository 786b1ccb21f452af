/** How much of the machine one execution of a step may use. Absent: all that there is. Source: docs/operating/limits.md. */
export interface StepLimits {
  /** Bytes. */
  memory?: number
  /** Processors. */
  cpu?: number
  /** Processes and threads. */
  pids?: number
}
