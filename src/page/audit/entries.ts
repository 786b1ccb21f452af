/** Answers about the audit log, and what is said of an entry. Source: http-api "The audit log". */

export interface AuditEntry {
  seq: number
  at: string
  principal: { kind: string; name: string }
  address?: string
  door: string
  requestId?: string
  step?: { name: string; dagRunId: string; stepName: string }
  operation: string
  target?: Record<string, string>
  outcome: string
  status?: number
  hidden?: boolean
  reason?: string
  before?: Record<string, unknown>
  after?: Record<string, unknown>
  repeated?: number
  until?: string
  previous: string
  hash: string
}

export interface AuditPart {
  /** Entries are added. */
  enabled: boolean
  entries: AuditEntry[]
  nextCursor: string | null
}

/** The caller, such as `token ci`; of a stranger the kind alone. */
export const callerText = ({ principal: { kind, name } }: AuditEntry): string => `${kind} ${name}`.trim()

const DOORS: Partial<Record<string, string>> = {
  api: 'API',
  v1: 'API, version 1',
  page: 'this page',
  mount: 'a host application',
  node: 'another server',
  socket: 'the socket of the owner',
  cli: 'the command line',
  host: 'the host application',
  engine: 'the engine'
}

/** Where the request came from. */
export const fromText = ({ address, door, step }: AuditEntry): string =>
  [address, `by ${DOORS[door] ?? door}`, step && `in the step ${step.stepName} of ${step.name} ${step.dagRunId}`]
    .filter(Boolean)
    .join(', ')

/** The definition or run that it is about, and where the page shows it. */
export function aboutOf({ target = {} }: AuditEntry): { text: string; parts?: string[] } {
  const { fileName, name, dagRunId, subDAGRunId, stepName, ...rest } = target
  const text = [fileName ?? name, dagRunId, subDAGRunId, stepName, ...Object.values(rest)].filter(Boolean).join(' ')
  if (name !== undefined && dagRunId !== undefined) return { text, parts: ['runs', name, dagRunId] }
  return fileName === undefined ? { text } : { text, parts: ['definitions', fileName] }
}

/** Facts before and after, as lines to read; a difference is a text of its own. */
export function factsText(facts: Record<string, unknown> | undefined): string {
  if (!facts) return ''
  const { diff: _diff, ...rest } = facts
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 1)
}

export const diffOf = ({ after }: AuditEntry): string => (typeof after?.diff === 'string' ? after.diff : '')
