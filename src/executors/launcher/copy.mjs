/** Puts what is here in other languages beside what the compiler wrote. Run by `make build` and `npm run build`, after the compiler. */
import { copyFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const target = fileURLToPath(new URL('../../../dist/src/executors/launcher/', import.meta.url))
for (const file of readdirSync(here)) if (/\.(?:sh|pl)$/.test(file)) copyFileSync(here + file, target + file)
