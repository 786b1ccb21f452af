/** Test engines of a suite, which are closed after each test. */
import { type TestEngine, type TestEngineOptions, testEngine } from '../../../src/testing/index.ts'

/** Call it in a `describe`. @returns opens an engine with these definitions */
export function testEngines(): (options: TestEngineOptions | string) => Promise<TestEngine> {
  const open: TestEngine[] = []
  afterEach(async () => {
    for (const engine of open.splice(0)) await engine.close()
  })
  return async (options) => {
    const engine = await testEngine(typeof options === 'string' ? { dags: [options] } : options)
    open.push(engine)
    return engine
  }
}

/** The message with which something is refused. */
export async function refusedBy(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it was not refused')
}
