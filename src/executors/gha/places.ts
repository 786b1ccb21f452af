/** Paths inside the containers of an action, and the variables that hold them. Source: execution-semantics 10.9.3, 10.9.4. */

/** The step's working directory. */
export const WORKSPACE = '/github/workspace'
/** The fetched repository of the action. */
export const ACTION = '/github/action'
export const HOME = '/github/home'
export const TEMP = '/github/runner_temp'
export const EVENT = '/github/workflow/event.json'
/** The command files of a process. */
export const COMMANDS = '/github/file_commands'

/** Variables of the command files, by file name. */
export const COMMAND_FILES = {
  output: 'GITHUB_OUTPUT',
  env: 'GITHUB_ENV',
  path: 'GITHUB_PATH',
  state: 'GITHUB_STATE',
  step_summary: 'GITHUB_STEP_SUMMARY'
} as const

export interface ActionPlaces {
  /** Folder of `action.yml` inside the container. */
  actionPath: string
  /** Repository as the step names it; empty for a local action. */
  repository: string
  ref: string
  /** `X64`, `ARM64`: of the Docker engine. */
  architecture: string
  serverUrl: string
  runName: string
  runId: string
  stepName: string
  token: string
}

/** Defaults of variables that GitHub's runners set; the definition may override them. */
export const outer = ({ serverUrl, runName, runId, stepName }: ActionPlaces): Record<string, string> => ({
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_WORKFLOW: runName,
  GITHUB_JOB: stepName,
  GITHUB_RUN_ID: runId,
  GITHUB_RUN_NUMBER: '1',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_ACTOR: 'troupe',
  GITHUB_REPOSITORY: '',
  GITHUB_REPOSITORY_OWNER: '',
  GITHUB_SHA: '',
  GITHUB_REF: '',
  GITHUB_REF_NAME: '',
  GITHUB_REF_TYPE: '',
  GITHUB_SERVER_URL: serverUrl,
  GITHUB_API_URL: serverUrl === 'https://github.com' ? 'https://api.github.com' : `${serverUrl}/api/v3`,
  GITHUB_GRAPHQL_URL: serverUrl === 'https://github.com' ? 'https://api.github.com/graphql' : `${serverUrl}/api/graphql`
})

/** Variables that the definition cannot override. */
export const inner = ({
  actionPath,
  repository,
  ref,
  architecture,
  stepName
}: ActionPlaces): Record<string, string> => ({
  GITHUB_EVENT_NAME: 'push',
  GITHUB_EVENT_PATH: EVENT,
  GITHUB_WORKSPACE: WORKSPACE,
  GITHUB_ACTION: stepName,
  GITHUB_ACTION_PATH: actionPath,
  GITHUB_ACTION_REPOSITORY: repository,
  GITHUB_ACTION_REF: ref,
  RUNNER_OS: 'Linux',
  RUNNER_ARCH: architecture,
  RUNNER_NAME: 'troupe',
  RUNNER_TEMP: TEMP,
  RUNNER_TOOL_CACHE: '/opt/hostedtoolcache',
  HOME,
  ...Object.fromEntries(Object.entries(COMMAND_FILES).map(([file, variable]) => [variable, `${COMMANDS}/${file}`]))
})

export const inputVariable = (name: string): string => `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`
