/**
 * Keeps the program of a release for later ones to begin after: `node dist/test/support/releases/record-program.js [FOLDER]` writes
 * `fixtures/releases/<version>/program.tar.br` of a checkout that has been built, by default this one. A file that is there is never
 * written over. Packages that the program needs are not in it: those of the checkout are used (`recorded-program.ts`).
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { create } from 'tar'
import { PROJECT } from '../project.ts'
import { recordedProgram } from './recorded-program.ts'

/** What a program does not need to run. */
const NEEDLESS = [/^(docs|fixtures|machines)\//, /^dist\/(docs-site|page|types)\//, /\.(d\.ts|d\.cts|map|md|txt)$/]

const folder = process.argv[2] ?? PROJECT
const { version }: { version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const target = recordedProgram(version)
if (existsSync(target)) throw new Error(`${target} is there: a release is recorded once; raise the version first`)

const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
  cwd: folder,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit']
})
const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(packed)
const paths = files.map(({ path }) => path).filter((path) => !NEEDLESS.some((one) => one.test(path)))
const tar: Buffer[] = []
for await (const part of create({ cwd: folder, portable: true, mtime: new Date(0) }, paths.sort())) tar.push(part)
const all = Buffer.concat(tar)
const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: all.length }
mkdirSync(dirname(target), { recursive: true })
writeFileSync(target, brotliCompressSync(all, { params }))
console.log(`recorded ${target}`)
