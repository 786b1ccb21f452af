/**
 * Records what this release stores, for every later one to read: `node dist/test/store/record-release.js` writes
 * `fixtures/store/<version>/`. A folder that is there is never written over. Source: reliability T14.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { relocate } from '../../src/backup/relocate.ts'
import { openStore } from '../../src/store/open.ts'
import { STORE_VERSION } from '../../src/store/store-version.ts'
import { VERSION } from '../../src/version.ts'
import { recordStore } from '../support/store/recorded-store.ts'
import { resultOf } from '../support/store/stored-runs.ts'

const folder = fileURLToPath(new URL(`../../../fixtures/store/${VERSION}/`, import.meta.url))
if (existsSync(folder)) throw new Error(`${folder} is there: a release is recorded once; raise the version first`)
const home = mkdtempSync(join(tmpdir(), 'troupe-record-'))
try {
  const at = await recordStore(home)
  const store = openStore(join(home, 'data'))
  relocate(store, [[home, '/home/troupe']])
  await store.root.backup(join(home, 'copy.mdb'), true)
  await store.root.close()
  const result = await resultOf(home, at)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'troupe.mdb.gz'), gzipSync(readFileSync(join(home, 'copy.mdb')), { level: 9 }))
  writeFileSync(
    join(folder, 'expected.json'),
    `${JSON.stringify({ storeVersion: STORE_VERSION, at, ...result }, undefined, 2)}\n`
  )
  console.log(`recorded ${folder}`)
} finally {
  rmSync(home, { recursive: true, force: true })
}
