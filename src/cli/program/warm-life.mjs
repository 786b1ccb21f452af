/** One life of the packaged program, with the words of its command line; at its end the compiled code is kept. Run by `warm.mjs`. */
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { programIn } from '../../../dist/src/cli/program/program-parts.js'

export function live(words) {
  const program = programIn(fileURLToPath(new URL('../../../dist/bin/program', import.meta.url)))
  process.on('exit', () => program.keep(true))
  argv.splice(1, Infinity, 'troupe', ...words)
  program.load('main.cjs')
}

if (argv[1] === fileURLToPath(import.meta.url)) live(argv.slice(2))
