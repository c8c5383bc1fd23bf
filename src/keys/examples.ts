const apiKey = {
  id: "01a1f8d6-72c1-769b-b352-930a5f6722f1",
  name: "Sign-up server",
  scopes: ["kyc:sessions"],
  expiresAt: "2027-12-31T00:00:00.000Z",
  activeNow: true,
  token_prefix: "dlk_CTmB",
  created_at: "2026-11-20T10:00:00.000Z",
  last_used_at: null,
  revoked_at: null
}

export const examples = {
  list: { response: { apiKeys: [apiKey] } },
  create: {
    request: { name: "Sign-up server", scopes: ["kyc:sessions"], expiresAt: "2027-12-31" },
    // With a wrong checksum, so that no secret scanner raises an alarm.
    response: { apiKey, token: "dlk_CTmB0000000000000000000000000000000000000000000000000" }
  },
  stats: { response: { stats: { total: 3, active: 1, revoked_or_disabled: 1, used_last_24h: 1 } } },
  revoke: { request: {}, response: { ok: true } }
}
