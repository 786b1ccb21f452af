/** A job as `troupe-launcher` reads it. It goes through a pipe that nobody else has: values of variables are in no file and on no command line. */
import { bootId } from '../../../platform/process-identity.ts'
import { checkTexts, type Job } from '../job.ts'
import { filtersOf } from './filters.ts'
import { programFinder } from './find-program.ts'

/** @param environment of the launcher, and so of the filters */
export function openJobMessages(environment: Record<string, string>): { textOf(name: string, job: Job): string } {
  const find = programFinder()
  const umask = process.umask().toString(8)
  return {
    /** @throws Error for what no process can be given */
    textOf(name, job) {
      checkTexts(job)
      const { state, offset, stdout, stderr, cwd, argv, env } = job
      const program = find(argv[0] ?? '', env.PATH, cwd)
      const fields = [state, `${bootId()} ${offset}`, stdout, stderr, cwd, umask, program, argv.length, ...argv]
      const at = fields.push(0) - 1
      for (const key in env) fields.push(`${key}=${env[key]}`)
      fields[at] = fields.length - at - 1
      const filters = filtersOf(job, (program) => find(program, environment.PATH, '/'))
      fields.push(filters.length)
      for (const { streams, order, errors, drainMs, argv, notes } of filters)
        fields.push(streams, order, errors, drainMs, argv.length, ...argv, notes.length, ...notes)
      const body = `${fields.join('\0')}\0`
      return `job ${name} ${Buffer.byteLength(body)}\n${body}`
    }
  }
}
