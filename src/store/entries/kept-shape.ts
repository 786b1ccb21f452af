/** Checks of entries other than runs; invalid ones are skipped, and `troupe doctor` reports them. Source: reliability P7. */
import type { ScheduleDecision } from '../../../machines/vocabulary.ts'
import type {
  StoredDelivery,
  StoredKey,
  StoredLeftover,
  StoredMove,
  StoredRestart,
  StoredSlots,
  StoredVersion,
  StoredWorker
} from '../stored.ts'
import { isInstant, isText } from './entry-shape.ts'

const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText)

export const isMove = ({ to, before }: Partial<StoredMove>): boolean => isText(to) && Number.isFinite(before)
export const isRestart = ({ dagRunId, waitMs }: Partial<StoredRestart>): boolean =>
  isText(dagRunId) && Number.isFinite(waitMs)
export const isDecision = ({ fileName, name, kind, slot, at, outcome }: Partial<ScheduleDecision>): boolean =>
  [fileName, name, kind, outcome].every(isText) && isInstant(slot) && isInstant(at)
export const isLeftover = ({ log, nodeLogs, steps, own }: Partial<StoredLeftover>): boolean =>
  isText(log) && isText(own) && areTexts(nodeLogs) && areTexts(steps)
export const isVersion = ({ revision, at, by = '', how, spec = '' }: Partial<StoredVersion>): boolean =>
  [revision, by, how, spec].every(isText) && isInstant(at)
export const isDelivery = ({ event, body, at, attempts, dueAt, giveUpAt }: Partial<StoredDelivery>): boolean =>
  [event, body].every(isText) && Number.isInteger(attempts) && [at, dueAt, giveUpAt].every(isInstant)
export const isWorker = ({
  state,
  session,
  greetedAt,
  heardAt,
  refusal,
  self,
  drain
}: Partial<StoredWorker>): boolean =>
  [state, session, refusal].every(isText) &&
  isInstant(greetedAt) &&
  isInstant(heardAt) &&
  (self === undefined || isSelf(self)) &&
  (drain === undefined || isDrain(drain))
const isDrain = (drain: NonNullable<StoredWorker['drain']>) =>
  typeof drain === 'object' && drain !== null && (drain.timeoutMs === undefined || Number.isFinite(drain.timeoutMs))
const isSelf = ({ id, labels, slots, executors }: Partial<NonNullable<StoredWorker['self']>>) =>
  isText(id) && Number.isInteger(slots) && areTexts(executors) && areTexts(Object.values(labels ?? { '': 0 }))
export function areSlots({ decided, starts }: Partial<StoredSlots>): boolean {
  if (typeof decided !== 'object' || decided === null) return false
  if (!Object.values(decided).every((slots) => Array.isArray(slots) && slots.every(isInstant))) return false
  return starts === undefined || (areTexts(starts.expressions) && isInstant(starts.through))
}
export const isKey = ({ name, role, rules, createdAt, createdBy, hash, ...times }: Partial<StoredKey>): boolean =>
  [name, role, createdBy].every(isText) &&
  Array.isArray(rules) &&
  rules.every((rule) => typeof rule === 'object' && rule !== null && isText(rule.may)) &&
  isInstant(createdAt) &&
  [times.expiresAt, times.revokedAt, times.lastUsedAt].every((at) => at === undefined || isInstant(at)) &&
  typeof hash === 'object' &&
  hash !== null &&
  [hash.N, hash.r, hash.p].every(Number.isInteger) &&
  isText(hash.salt) &&
  isText(hash.value)
