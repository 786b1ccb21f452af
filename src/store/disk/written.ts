/**
 * The result of a write.
 *
 * lmdb rejects a failed write with a generic error, and has the reason in a second promise. Without a handler for that one, the
 * process would be terminated. Source: reliability P6.
 */

/** Resolves when it is written. @throws Error the reason of the disk */
export async function written(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    const { commitError }: { commitError?: Promise<never> } = Object(error)
    await commitError
    throw error
  }
}
