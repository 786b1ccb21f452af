/** Settings of the audit log. Data. Source: docs/operating/audit.md. */
import { row } from './row.ts'
import { boolean, integer, path } from './types.ts'

// D1455: no audit log is kept unless the configuration says so
export const AUDIT = {
  'audit.enabled': row(boolean, false, 'keep an audit log: who has changed what, and what was refused'),
  'audit.retentionDays': row(
    integer(0, 36_500),
    365,
    'age at which files of the audit log are dropped (days); 0: never'
  ),
  'paths.auditDir': row(path, '{home}/audit', 'audit log', { env: 'AUDIT_DIR' })
}
