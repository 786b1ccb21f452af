/** When mail is sent: at the end of a run, and when a step has finally failed. Source: execution-semantics 14.3.1, 14.3.2. */
import type { MailKind, NodeStatus, Plan, Step } from '../vocabulary.ts'
import type { EndStatus } from './outcome.ts'

/** A canceled run sends none: it was stopped, or its preconditions did not hold (5.6.9). */
const kindFor: Record<EndStatus, MailKind | undefined> = {
  succeeded: 'info',
  partially_succeeded: 'info',
  failed: 'error',
  canceled: undefined
}

// D731: a run that never started sends no mail
/** The mail that a run sends after its handlers; undefined: none. */
export function mailOfRun(
  { mailOn, errorMail, infoMail }: Pick<Plan, 'mailOn' | 'errorMail' | 'infoMail'>,
  status: EndStatus
): MailKind | undefined {
  const kind = kindFor[status]
  if (kind === 'error') return mailOn.failure && errorMail ? kind : undefined
  return kind && mailOn.success && infoMail ? kind : undefined
}

/** Whether a step or handler that has ended sends the error mail, regardless of `mailOn`. */
export const stepSendsMail = (
  { mailOnError }: Pick<Step, 'mailOnError'>,
  { errorMail }: Pick<Plan, 'errorMail'>,
  status: NodeStatus
): boolean => mailOnError && status === 'failed' && errorMail !== undefined
