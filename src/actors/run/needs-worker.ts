/** Whether a workflow asks for labels that only a worker has. This engine has none of its own. Source: definition-format `workerSelector`, api-semantics 4.3. */
import type { Plan } from '../../../machines/vocabulary.ts'

// D773
export const needsWorker = ({ workerSelector = {} }: Plan): boolean => Object.keys(workerSelector).length > 0
