/** Words for who or what has stopped a run. */
import type { RunRecord } from '../../../machines/vocabulary.ts'

const WAYS: Record<NonNullable<RunRecord['stoppedBy']>['type'], string> = {
  schedule: 'by its schedule',
  api: 'over the API',
  cli: 'on the command line',
  host: 'by the application that embeds the engine',
  engine: 'because the engine closed'
}

/** A clause such as ` by the token ci, over the API`; empty when nobody knows. */
export function stopperText({ stoppedBy }: Pick<RunRecord, 'stoppedBy'>): string {
  if (!stoppedBy) return ''
  const { type, by } = stoppedBy
  if (by === undefined) return ` ${WAYS[type]}`
  return type === 'host' ? ` by ${by}, in the application that embeds the engine` : ` by ${by}, ${WAYS[type]}`
}
