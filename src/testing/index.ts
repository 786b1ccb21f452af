/** What tests import: `troupe/testing`. Importing it has no effect. */
export { type Check, checkCalls, checkRunStatus, checkStepOutput, checkStepStatus } from './checks.ts'
export { type Ends, Exit, type ExitOptions, exits, type Later, later, type MockCall } from './ends.ts'
export { chaiPlugin, matchers, type TroupeMatchers } from './matchers.ts'
export type { MockedKind } from './mocks.ts'
export type { CodeDag, DagSource } from './test-definitions.ts'
export { type StepName, type TestEngine, type TestEngineOptions, testEngine } from './test-engine.ts'
