/** Answers about queues and workers. Source: http-api "Queues", "Workers". */
import type { RunSummary } from './runs.ts'

export interface Queue {
  name: string
  type: 'custom' | 'dag-based'
  maxConcurrency?: number
  summary: { running: number; queued: number; total: number }
  runningDAGRuns: RunSummary[]
  queuedDAGRuns: RunSummary[]
}

export interface WorkerTask {
  dagName: string
  dagRunId: string
}

export interface Worker {
  id: string
  labels: Record<string, string>
  health_status: string
  last_heartbeat: string
  running_tasks: WorkerTask[]
  status: 'serving' | 'draining' | 'incompatible' | 'lost'
  /** Why it is incompatible. */
  reason?: string
  slots: number
  version: string
  host: string
  /** In percent. */
  load: { cpu?: number; mem?: number; disk?: number }
  connectedAt: string
}

/** An event for a target of `notify`. Times are texts, empty where there is none. */
export interface Delivery {
  target: string
  id: string
  state: 'waiting' | 'dead'
  event: string
  /** Of its root run; empty: it is about none. */
  dagName: string
  dagRunId: string
  occurredAt: string
  attempts: number
  nextAttemptAt: string
  error: string
}

export interface NotifyTarget {
  name: string
  configured: boolean
  waiting: number
  dead: number
  /** Requests in a row that were not accepted. */
  failures: number
}

export interface Coordinator {
  host: string
  port: number
}
