/**
 * The warden: one process that holds any number of plain steps, where the system has Perl. It makes sessions and reads records by
 * itself, for which a keeper's shell has to become another program first, or to read byte by byte: a start costs half.
 *
 * Without modules it is small, and so is what each fork copies. It reads a job from its child on: what lives on has no secrets.
 */
import { constants } from 'node:fs'
import { bootId } from '../../platform/process-identity.ts'
import { checkTexts } from './job.ts'
import type { Job } from './job-record.ts'

/** The system calls `setsid`, `rt_sigprocmask` and `signalfd4`: Perl knows their names by a module only. */
const CALLS: Partial<Record<string, string>> =
  process.platform === 'linux' ? { x64: '112 14 289', arm64: '157 135 74' } : {}

/** What the warden is told when it starts, behind its name; undefined: there can be none here. */
export const wardenNumbers = (): string | undefined => {
  const calls = CALLS[process.arch]
  return calls === undefined ? undefined : `${calls} ${constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL}`
}

/** Whether the warden can hold it: nothing stands between the step and its logs. */
export const isPlain = ({ masking, copies }: Job): boolean => !masking && !copies

// D54
/**
 * The file of a job for the warden, its fields with a NUL between each two, and the line that hands it over.
 * @param umask of the process to be, octal
 * @throws Error for a NUL character, or a text that is too long: no process can be given one
 */
export function wardenJob(
  name: string,
  job: Job,
  umask: string
): { files: [file: string, text: string][]; line: string } {
  checkTexts(job)
  const { state, offset, stdout, stderr, cwd, argv, env } = job
  const fields = [state, `${bootId()} ${offset}`, stdout, stderr, cwd, umask, argv.length, ...argv]
  for (const key in env) fields.push(`${key}=${env[key]}`)
  return { files: [[name, fields.join('\0')]], line: `${name} ${Buffer.byteLength(state)}` }
}
