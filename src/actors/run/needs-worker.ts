/** Whether a run belongs on a worker. Source: definition-format `workerSelector`, api-semantics 4.3. */
import { workerNeeds } from '../../../machines/policy/worker-needs.ts'
import type { Plan } from '../../../machines/vocabulary.ts'

export const needsWorker = (plan: Plan): boolean => workerNeeds(plan) !== undefined
