/** Settings about who may do what: permissions, ways to sign in, roles. Data. Source: api-semantics 9, docs/authentication.md. */
import { row } from './row.ts'
import { bearer, boolean, list, map, maps, passwordHash, text, tokenList } from './types.ts'

export const ACCESS = {
  'permissions.writeDAGs': row(boolean, true, {
    env: 'PERMISSIONS_WRITE_DAGS',
    old: ['permissionWriteDAGs'],
    help: 'false: no changes of definitions over the API'
  }),
  'permissions.runDAGs': row(boolean, true, {
    env: 'PERMISSIONS_RUN_DAGS',
    old: ['permissionRunDAGs'],
    help: 'false: no starts, stops or changes of runs over the API'
  }),
  'auth.basic.username': row(text, '', {
    env: 'AUTH_BASIC_USERNAME',
    old: ['basicAuthUsername'],
    help: 'user of basic authentication'
  }),
  'auth.basic.password': row(text, '', {
    env: 'AUTH_BASIC_PASSWORD',
    old: ['basicAuthPassword'],
    secret: true,
    help: 'its password'
  }),
  'auth.basic.passwordHash': row(passwordHash, '', {
    env: 'AUTH_BASIC_PASSWORD_HASH',
    secret: true,
    help: 'scrypt hash, instead of the password'
  }),
  'auth.token.value': row(bearer, '', { env: 'AUTH_TOKEN', old: ['authToken'], secret: true, help: 'bearer token' }),
  'auth.tokens': row(tokenList, [], {
    secret: true,
    help: 'several bearer tokens: name, value, permissions (read, run, write)'
  }),
  'auth.keys': row(boolean, false, {
    env: 'AUTH_KEYS',
    help: 'true: callers must show an API key, where no other method is configured'
  }),
  'auth.oidc.clientId': row(text, '', { env: 'AUTH_OIDC_CLIENT_ID', help: 'OpenID Connect client' }),
  'auth.oidc.clientSecret': row(text, '', { env: 'AUTH_OIDC_CLIENT_SECRET', secret: true, help: 'its secret' }),
  'auth.oidc.clientUrl': row(text, '', {
    env: 'AUTH_OIDC_CLIENT_URL',
    help: 'address of this server for browsers, including basePath'
  }),
  'auth.oidc.issuer': row(text, '', { env: 'AUTH_OIDC_ISSUER', help: 'address of the provider' }),
  'auth.oidc.scopes': row(list, ['openid', 'profile', 'email'], { env: 'AUTH_OIDC_SCOPES', help: 'scopes to request' }),
  'auth.oidc.whitelist': row(list, [], {
    env: 'AUTH_OIDC_WHITELIST',
    help: 'e-mail addresses that may sign in; empty: everyone'
  }),
  'auth.oidc.assumeEmailVerified': row(boolean, false, {
    env: 'AUTH_OIDC_ASSUME_EMAIL_VERIFIED',
    help: 'the provider verifies all addresses but omits email_verified'
  }),
  'auth.oidc.roleClaim': row(text, '', {
    env: 'AUTH_OIDC_ROLE_CLAIM',
    help: 'claim of the ID token whose values access.roles maps to roles; who has none of them is a viewer'
  }),
  'access.roles': row(
    { ...map, wanted: 'a map such as {token:ci: runner, everyone: viewer}' },
    {},
    {
      help: 'roles on this server: none, viewer, runner, editor, admin, by who; not named: by everyone, else without limit'
    }
  ),
  'access.rules': row(maps('a list of rules such as [{who: token:ci, may: runner, dags: [etl-*]}]'), [], {
    help: 'roles for some definitions: who, may, and dags, groups or tags'
  })
}
