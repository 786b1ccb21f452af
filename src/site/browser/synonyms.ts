export type Synonyms = Record<string, readonly string[]>

/** Words that people search with and the documentation does not have, or not as titles, and what it calls the same. One way only. */
export const SYNONYMS: Synonyms = {
  'at the same time': ['active', 'limits'],
  autostart: ['systemd'],
  cleanup: ['retention'],
  concurrency: ['active', 'limits'],
  foreach: ['each', 'parallel'],
  'human in the loop': ['approval'],
  k8s: ['kubernetes'],
  kill: ['stop'],
  lint: ['validate'],
  loop: ['repeat', 'each', 'parallel'],
  matrix: ['parallel'],
  oidc: ['openid connect'],
  parameter: ['params'],
  'quick start': ['first workflow'],
  rbac: ['roles'],
  remote: ['workers', 'ssh'],
  rollback: ['way back'],
  sso: ['openid connect'],
  timezone: ['time zone']
}
