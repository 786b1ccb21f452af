/** An engine of `troupe/testing` for one test, and functions that fail. */
import type { Dag } from '../../../src/builder/types.ts'
import { testEngine } from '../../../src/testing/index.ts'

export type Tested = Awaited<ReturnType<typeof testEngine>>

export async function withEngine(dags: Dag[], work: (engine: Tested) => Promise<void>): Promise<void> {
  const engine = await testEngine({ dags: dags as readonly Dag[] })
  try {
    await work(engine)
  } finally {
    await engine.close()
  }
}

export const failing = (message: string, code?: string) => () => {
  throw Object.assign(new RangeError(message), code === undefined ? {} : { code })
}
