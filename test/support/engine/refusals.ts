/** What the engine says of a host application's mistakes. */
import { expect } from 'chai'
import { createEngine, type EngineOptions, TroupeError } from '../../../src/index.ts'

/** The sentences of a refusal. */
export async function problemsOf(work: () => Promise<unknown>): Promise<string[]> {
  const error = await work().then(
    () => expect.fail('it was accepted'),
    (error: unknown) => error
  )
  if (!(error instanceof TroupeError)) throw error
  expect(error.code).to.equal('bad_request')
  const { errors } = error.details as { errors: string[] } // our own
  expect(error.message).to.equal(errors.join('; '))
  return errors
}
/** As from JavaScript. */
export const create = (options: unknown) => createEngine(options as EngineOptions)

/** What it is refused with. */
export const refused = async (asked: Promise<unknown>): Promise<Error & { code?: string; details?: unknown }> => {
  try {
    await asked
  } catch (error) {
    return error as Error
  }
  throw new Error('it was not refused')
}
