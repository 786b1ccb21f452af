/** Headers that may hold credentials, by name: those of proxies, single sign-on and gateways too. */
const CREDENTIALS = /auth|cookie|token|key|secret|session|credential|password|jwt|assertion|user(?!-agent)|csrf/i

export const isCredentialName = (header: string): boolean => CREDENTIALS.test(header)
