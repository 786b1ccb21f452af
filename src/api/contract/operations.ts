/** Every operation of the API by its id: the source of request validation, the document and the client. Source: http-api "Endpoints". */
import { keyOperations } from './access/key-operations.ts'
import { sessionOperations } from './access/session-operations.ts'
import { calendarOperations } from './calendar/operations.ts'
import { comparisonOperations } from './comparisons.ts'
import { dagOperations } from './dag-operations.ts'
import { factOperations } from './fact-operations.ts'
import { auditOperations } from './home/audit.ts'
import { deliveryOperations } from './home/deliveries.ts'
import { homeOperations } from './home/operations.ts'
import { logOperations } from './log-operations.ts'
import type { Operation } from './operation.ts'
import { runOperations } from './run-operations.ts'
import { startOperations } from './start-operations.ts'
import { systemOperations } from './system-operations.ts'
import { versionOperations } from './versions/operations.ts'
import { waitOperations } from './wait-operations.ts'

// D224: there is one API contract
export const OPERATIONS = {
  ...systemOperations,
  ...dagOperations,
  ...startOperations,
  ...runOperations,
  ...waitOperations,
  ...logOperations,
  ...factOperations,
  ...comparisonOperations,
  ...deliveryOperations,
  ...homeOperations,
  ...calendarOperations,
  ...versionOperations,
  ...keyOperations,
  ...sessionOperations,
  ...auditOperations
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS

export const operationList: readonly (readonly [OperationId, Operation])[] = Object.entries(OPERATIONS).map(
  // Object.entries loses the type of the keys.
  ([id, operation]) => [id as OperationId, operation]
)

/** Paths that need no credentials, below the base path. */
export const PUBLIC_PATHS: readonly string[] = [
  '/health',
  '/health/live',
  '/health/ready',
  '/openapi.json',
  '/docs',
  '/docs.css'
]
