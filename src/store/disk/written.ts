/**
 * What the disk says of a write.
 *
 * lmdb rejects a write that the disk has refused with an error which says nothing but that, and has the reason in a promise beside. One
 * that nobody listens to would end the process. Source: reliability P6.
 */

/** Resolves when it is written. @throws Error what the disk has said */
export async function written(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    await (error as { commitError?: Promise<never> }).commitError
    throw error
  }
}
