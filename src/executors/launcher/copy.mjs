/** Puts what is here in other languages beside what the compiler wrote. Run by `make build` and `npm run build`, after the compiler. */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

for (const folder of ['launcher/portable', 'fence']) {
  const here = fileURLToPath(new URL(`../${folder}/`, import.meta.url))
  const target = fileURLToPath(new URL(`../../../dist/src/executors/${folder}/`, import.meta.url))
  mkdirSync(target, { recursive: true })
  for (const file of readdirSync(here)) if (/\.(sh|mjs)$/.test(file)) copyFileSync(here + file, target + file)
}
