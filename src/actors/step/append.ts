/** Logs are written on. A pipe in the place of one is refused with `ENXIO`: whoever opens it otherwise waits for its reader, and on the main thread everybody does. */
import { appendFileSync, constants } from 'node:fs'
import { appendFile } from 'node:fs/promises'

const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK } = constants
/** Node takes numbers, too, of which its types know nothing. */
const flag = (O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK) as unknown as string
const TO_APPEND = { flag, mode: 0o600 }

/** Makes the file when it is not there. @throws Error when the disk refuses */
export const appendNow = (path: string, text: string): void => appendFileSync(path, text, TO_APPEND)

/** The same, beside other work. */
export const append = (path: string, text: string): Promise<void> => appendFile(path, text, TO_APPEND)
