/** Puts what is here in other languages beside what the compiler wrote. Run by `make build` and `npm run build`, after the compiler. */
import { copyFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('./portable/', import.meta.url))
const target = fileURLToPath(new URL('../../../dist/src/executors/launcher/portable/', import.meta.url))
for (const file of readdirSync(here)) if (file.endsWith('.sh')) copyFileSync(here + file, target + file)
