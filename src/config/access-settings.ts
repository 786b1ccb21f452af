/** Settings about who may do what: permissions, ways to sign in, roles. Data. Source: api-semantics 9, docs/authentication.md. */
import { row } from './row.ts'
import { bearer, boolean, list, map, maps, passwordHash, text, tokenList } from './types.ts'

export const ACCESS = {
  'permissions.writeDAGs': row(boolean, true, 'false: no changes of definitions over the API', {
    old: ['permissionWriteDAGs']
  }),
  'permissions.runDAGs': row(boolean, true, 'false: no starts, stops or changes of runs over the API', {
    old: ['permissionRunDAGs']
  }),
  'auth.basic.username': row(text, '', 'user of basic authentication', { old: ['basicAuthUsername'] }),
  'auth.basic.password': row(text, '', 'its password', { old: ['basicAuthPassword'], secret: true }),
  'auth.basic.passwordHash': row(passwordHash, '', 'scrypt hash, instead of the password', { secret: true }),
  'auth.token.value': row(bearer, '', 'bearer token', { env: 'AUTH_TOKEN', old: ['authToken'], secret: true }),
  'auth.tokens': row(tokenList, [], 'several bearer tokens: name, value, permissions (read, run, write)', {
    secret: true,
    onlyInFile: true
  }),
  'auth.keys': row(boolean, false, 'true: callers must show an API key, where no other method is configured'),
  'auth.oidc.clientId': row(text, '', 'OpenID Connect client'),
  'auth.oidc.clientSecret': row(text, '', 'its secret', { secret: true }),
  'auth.oidc.clientUrl': row(text, '', 'address of this server for browsers, including basePath'),
  'auth.oidc.issuer': row(text, '', 'address of the provider'),
  'auth.oidc.scopes': row(list, ['openid', 'profile', 'email'], 'scopes to request'),
  'auth.oidc.whitelist': row(list, [], 'e-mail addresses that may sign in; empty: everyone'),
  'auth.oidc.assumeEmailVerified': row(boolean, false, 'the provider verifies all addresses but omits email_verified'),
  'auth.oidc.roleClaim': row(
    text,
    '',
    'claim of the ID token whose values access.roles maps to roles; who has none of them is a viewer'
  ),
  'access.roles': row(
    { ...map, wanted: 'a map such as {token:ci: runner, everyone: viewer}' },
    {},
    'roles on this server: none, viewer, runner, editor, admin, by who; not named: by everyone, else without limit',
    { onlyInFile: true }
  ),
  'access.rules': row(
    maps('a list of rules such as [{who: token:ci, may: runner, dags: [etl-*]}]'),
    [],
    'roles for some definitions: who, may, and dags, groups or tags',
    { onlyInFile: true }
  )
}
