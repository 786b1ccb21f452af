/** Settings that limit callers, executors and steps. Data. Source: docs/operating/limits.md. */
import { row } from '../row.ts'
import { boolean, list, map, maps, path, text } from '../types.ts'

const groupRules = maps('a list of rules such as [{groups: [etl-*], allow: [shell, http]}]')
const stepRules = maps('a list of rules such as [{groups: [etl-*], runAs: etl, limits: {memory: 1GiB}}]')

export const LIMITS = {
  'limits.callers': row(
    map,
    {},
    'how much callers of the API may ask for: requests, burst, starts, runs, streams, by who',
    { onlyInFile: true }
  ),
  'executors.allow': row(list, [], 'types of executors that definitions may use; empty: all'),
  'executors.rules': row(groupRules, [], 'other ones for some definitions: groups, allow', { onlyInFile: true }),
  'steps.runAs': row(text, '', 'user, or user:group, as whom steps run; the engine must be root. Empty: as the engine'),
  'steps.limits': row(map, {}, 'how much each step may use: memory, cpu, pids (cgroup v2)', { onlyInFile: true }),
  'steps.rules': row(stepRules, [], 'other ones for some definitions: groups, runAs, limits', { onlyInFile: true }),
  'steps.cgroup': row(path, '', 'folder of the cgroup v2 in which steps have theirs; empty: that of the engine'),
  'steps.mayGiveKeys': row(
    boolean,
    false,
    'true: commands in steps may make and revoke keys: troupe key, worker enroll, worker revoke'
  ),
  'executors.http.egress': row(map, {}, 'where http steps may connect to: private (true or false), allow, deny', {
    onlyInFile: true
  })
}
