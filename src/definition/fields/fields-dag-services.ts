/** The fields of a definition about what its steps meet outside: mail, secrets, containers, other machines, tracing. Data. */
import { either, type LevelTable, listsOf, mapOf, ON_WORKER_LOST, STRING, TEXT, TEXT_MAP } from './field-forms.ts'

export const services: LevelTable['rows'] = [
  {
    name: 'mailOn',
    form: mapOf('mailOn'),
    about: 'Whether the end of a run sends mail.',
    example: '{failure: true}'
  },
  {
    name: 'errorMail',
    form: mapOf('mailTarget', 'map, see errorMail'),
    about: 'Who gets mail about a failure.',
    otherwise: 'none',
    example: '{from: troupe@example.org, to: ops@example.org}'
  },
  {
    name: 'infoMail',
    form: mapOf('mailTarget', 'map, see errorMail'),
    about: 'Who gets mail about a success.',
    otherwise: 'none',
    example: '{from: troupe@example.org, to: [team@example.org], prefix: "[etl]"}'
  },
  {
    name: 'smtp',
    form: mapOf('smtp'),
    about: 'The mail server.',
    otherwise: 'none',
    example: '{host: mail.example.org, port: "587", username: "${USER_NAME}", password: "${PASSWORD}"}'
  },
  {
    name: 'secrets',
    form: listsOf(mapOf('secret'), 'list of maps, see secrets'),
    about: 'Variables whose values are read when a run starts and masked in everything it writes.',
    default: [],
    example: '[{name: TOKEN, provider: env, key: SERVICE_TOKEN}]'
  },
  {
    name: 'workerSelector',
    form: TEXT_MAP,
    about: 'Labels that a worker must have to run this workflow.',
    otherwise: 'any, or the server itself',
    example: '{gpu: "true"}'
  },
  {
    name: 'onWorkerLost',
    form: ON_WORKER_LOST,
    about: 'What happens to steps at work on a worker that is lost.',
    default: 'fail',
    example: 'requeue'
  },
  {
    name: 'container',
    form: mapOf('container'),
    about: 'One container that all steps of a run share.',
    otherwise: 'none',
    example: '{image: "alpine:3", volumes: [".:/work"], workingDir: /work}'
  },
  {
    name: 'registryAuths',
    form: either('map by host, see registryAuths, or text', STRING, {
      label: '',
      schema: { type: 'object', additionalProperties: { anyOf: [TEXT.schema, { $ref: '#/$defs/registryAuth' }] } }
    }),
    about: 'Credentials for image registries, by host, or a whole Docker configuration as text.',
    otherwise: 'none',
    example: '{ghcr.io: {username: bot, password: "${GHCR_TOKEN}"}}'
  },
  {
    name: 'ssh',
    form: mapOf('ssh'),
    about: 'The machine that all steps run on.',
    otherwise: 'none',
    example: '{user: deploy, host: build.example.org, key: ~/.ssh/id_ed25519}'
  },
  {
    name: 'otel',
    form: mapOf('otel'),
    about: 'Tracing with OpenTelemetry.',
    otherwise: 'none',
    example: '{enabled: true, endpoint: "http://localhost:4318"}'
  }
]
