/** Answers about definitions, and about starts to come. Source: http-api "Definitions". */
import type { Permission, RunSummary, Step } from './runs.ts'

export interface DagSummary {
  name: string
  group: string
  description: string
  schedule: { expression: string }[]
  params: string[]
  defaultParams: string
  tags: string[]
  queue: string
  maxActiveRuns: number
  nextRun: string
}

export interface DagDetails extends DagSummary {
  steps: Step[]
  runConfig: { disableParamEdit: boolean; disableRunIdEdit: boolean }
}

export interface ListedDefinition {
  fileName: string
  dag: DagSummary
  latestDAGRun: RunSummary
  suspended: boolean
  errors: string[]
  /** What the visitor may do with it; missing: as on the server. */
  permissions?: Permission[]
}

export interface Pagination {
  totalRecords: number
  currentPage: number
  totalPages: number
  nextPage: number | null
  prevPage: number | null
}

export interface NextRun {
  atMs: number
  zone: string
  expression: string
}
