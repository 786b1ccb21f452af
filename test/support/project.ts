/** Where the project is. */
import { fileURLToPath } from 'node:url'

/** The project's folder: tests run from `dist/test/support`. */
export const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
