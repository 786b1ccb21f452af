/** Puts the programs of the fence beside what the compiler wrote. Run by `make build` and `npm run build`, after the compiler. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const target = fileURLToPath(new URL('../../../dist/src/executors/fence/', import.meta.url))
mkdirSync(target, { recursive: true })
for (const file of ['fence.sh', 'kill-containers.mjs']) copyFileSync(new URL(file, import.meta.url), target + file)
