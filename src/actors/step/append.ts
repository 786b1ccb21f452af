/** Appends to logs. A pipe in place of a log is refused with `ENXIO`: opening it would block the whole engine until it has a reader. */
import { appendFileSync, constants } from 'node:fs'
import { appendFile } from 'node:fs/promises'

const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK } = constants
/** Node accepts numbers, too, but its types do not say so. */
const flag = (O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK) as unknown as string
const TO_APPEND = { flag, mode: 0o600 }

/** Creates the file if it is missing. @throws Error when the disk refuses */
export const appendNow = (path: string, text: string | Uint8Array): void => appendFileSync(path, text, TO_APPEND)

/** Appends in a thread. */
export const append = (path: string, text: string): Promise<void> => appendFile(path, text, TO_APPEND)
