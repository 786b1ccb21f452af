/** Whether a run may go on with the code of today. Source: docs/embedding/upgrades.md. */
import type { Plan, Release } from '../vocabulary.ts'

// D1150: `onDrift: fail` compares versions, and holds a run before its end only
/** @param today what the engine has of the definition in code; undefined: it does not have it, and has no say */
export const isSuperseded = ({ onDrift, release }: Plan, today: Release | undefined): boolean =>
  onDrift === 'fail' && release !== undefined && today !== undefined && release.version !== today.version
