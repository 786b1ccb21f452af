/** Names of headers that may contain credentials, those of proxies, single sign-on and gateways included. */
const CREDENTIALS = /auth|cookie|token|key|secret|session|credential|password|jwt|assertion|user(?!-agent)|csrf/i

export const isCredentialName = (header: string): boolean => CREDENTIALS.test(header)
