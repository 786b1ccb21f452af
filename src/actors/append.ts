/** Logs are written on. A pipe in the place of one is refused with `ENXIO`: whoever opens it otherwise waits for its reader, and on the main thread everybody does. */
import { appendFileSync, closeSync, constants, openSync } from 'node:fs'
import { open } from 'node:fs/promises'

const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK } = constants
const TO_APPEND = O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK
const MODE = 0o600

/** Makes the file when it is not there. @throws Error when the disk refuses */
export function appendNow(path: string, text: string): void {
  const file = openSync(path, TO_APPEND, MODE)
  try {
    appendFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** The same, beside other work. */
export async function append(path: string, text: string): Promise<void> {
  const file = await open(path, TO_APPEND, MODE)
  try {
    await file.appendFile(text)
  } finally {
    await file.close()
  }
}
