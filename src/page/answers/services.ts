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

export interface Coordinator {
  host: string
  port: number
}
