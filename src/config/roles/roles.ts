/** The roles, weakest first; each may do what those before it may. Source: docs/authentication.md "Roles". */
export const ROLES = ['none', 'viewer', 'runner', 'editor', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** What a token may be limited to. Source: docs/authentication.md "Permissions". */
export const PERMISSIONS = ['read', 'run', 'write'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** Whether somebody with `role` may do what takes `needed`. */
export const isEnough = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed)

export const isRole = (input: unknown): input is Role => ROLES.some((role) => role === input)
