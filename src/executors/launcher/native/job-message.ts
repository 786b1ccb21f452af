/** A job as `troupe-launcher` reads it, through a pipe that nobody else has: no value of a variable is in a file or on a command line. */
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
      const { state, offset, stdout, stderr, cwd, argv, env, limit = 0, account, cgroup = '' } = job
      const program = find(argv[0] ?? '', env.PATH, cwd)
      const variables: string[] = []
      for (const key in env) variables.push(`${key}=${env[key]}`)
      const filters = filtersOf(job, (program) => find(program, environment.PATH, '/')).map((filter) => {
        const { streams, order, errors, drainMs, program, argv, notes } = filter
        return `${streams}\0${order}\0${errors}\0${drainMs}\0${program}\0${listed(argv)}${listed(notes)}`
      })
      const head = [
        state,
        `${bootId()} ${offset}`,
        stdout,
        stderr,
        cwd,
        umask,
        limit,
        userOf(account),
        cgroup,
        program
      ].join('\0')
      const body = `${head}\0${listed(argv)}${listed(variables)}${filters.length}\0${filters.join('')}`
      return `job ${name} ${Buffer.byteLength(body)}\n${body}`
    }
  }
}

const userOf = (account: Job['account']) =>
  account ? `${account.uid} ${[account.gid, ...account.groups].join(',')}` : ''

/** The length of a list, then its texts, each ended by a NUL. */
const listed = (texts: string[]): string => `${texts.length}\0${texts.map((text) => `${text}\0`).join('')}`
