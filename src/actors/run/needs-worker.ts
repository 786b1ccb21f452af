/** Whether a workflow requires labels that only a worker has. This engine has no labels. Source: definition-format `workerSelector`, api-semantics 4.3. */
import type { Plan } from '../../../machines/vocabulary.ts'

// D773
export const needsWorker = ({ workerSelector = {} }: Plan): boolean => Object.keys(workerSelector).length > 0
