/** The examination of a home as JSON: the same in the API and in `troupe doctor --json`. */
import type { PlainDiagnosis } from '../../../doctor/aside.ts'
import type { PlainFinding, Severity } from '../../../doctor/finding.ts'
import type { Shape } from '../../../schema/schema.ts'
import type { Examination } from '../../contract/home/shapes.ts'

export type Examined = PlainDiagnosis

export function examinationShape(
  home: string,
  { engine, runs, findings, fixed, notExamined }: Examined
): Shape<typeof Examination> {
  const count = (severity: Severity) => findings.filter((found) => found.severity === severity).length
  return {
    home,
    ...(engine === undefined ? {} : { engine }),
    ...(runs === undefined ? {} : { runs }),
    counts: { error: count('error'), warning: count('warning'), note: count('note') },
    findings: findings.map(findingShape),
    fixed: fixed.map(findingShape),
    notExamined: [...notExamined]
  }
}

const findingShape = ({ check, severity, message, mending, fixable }: PlainFinding) => ({
  check,
  severity,
  message,
  mending,
  fixable
})
