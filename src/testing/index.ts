/** What tests import: `troupe/testing`. Importing it has no effect. */
export { type Ends, Exit, type ExitOptions, exits, type Later, type MockCall } from './ends.ts'
export type { MockedKind } from './mocks.ts'
export type { CodeDag, DagSource } from './test-definitions.ts'
export { type StepName, type TestEngine, type TestEngineOptions, testEngine } from './test-engine.ts'
