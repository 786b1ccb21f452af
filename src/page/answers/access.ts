/** Answers about who gets in. Source: http-api "Access". */

export interface KeyRule {
  may: string
  dags?: string[]
  groups?: string[]
  tags?: string[]
}

export interface ApiKey {
  id: string
  name: string
  role: string
  rules: KeyRule[]
  status: 'active' | 'expired' | 'revoked'
  createdAt: string
  createdBy: string
  expiresAt: string
  revokedAt: string
  revokedBy: string
  lastUsedAt: string
}

export interface SignedIn {
  id: string
  name: string
  subject: string
  since: string
  lastSeenAt: string
  expiresAt: string
  address: string
  agent: string
  isOwn: boolean
}
