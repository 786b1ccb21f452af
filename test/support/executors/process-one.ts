/** A launcher whose process may be number 1: `node process-one.js FOLDER` runs three jobs, and says in JSON how they ended and how many zombies are left. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import { openLauncher } from '../../../src/executors/launcher/launcher.ts'
import { nativeLauncher } from '../../../src/executors/launcher/native-binary.ts'

const [folder = ''] = process.argv.slice(2)
const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin' }
const native = nativeLauncher()
const launcher = openLauncher({ folder: join(folder, 'own'), environment, starting: 4, clock: systemClock, native })
const daemon = join(folder, 'daemon')
const codes: number[] = []
for (const text of ['exit 3', 'kill -TERM $$', `setsid sh -c 'sleep 0.1; echo over >${daemon}' & exit 0`]) {
  const base = join(folder, `job-${codes.length}`)
  const files = { stdout: `${base}.out`, stderr: `${base}.err`, state: `${base}.state` }
  const job = { argv: ['sh', '-c', text], cwd: folder, env: environment, offset: 0, ...files }
  codes.push((await launcher.launch(job).ended).exitCode)
}
const pause = () => new Promise((resolve) => setTimeout(resolve, 100))
while (!existsSync(daemon)) await pause()
await pause()
await pause()
const isZombie = (pid: string) => /^\d+$/.test(pid) && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
const zombies = readdirSync('/proc').filter(isZombie).length
console.log(JSON.stringify({ pid: process.pid, codes, zombies }))
process.exit(0)
