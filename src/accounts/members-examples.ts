const member = {
  id: "01a1f8d6-727f-7181-ad0f-bd032ea33066",
  email: "ada@example.com",
  role: "owner",
  created_at: "2026-11-20T10:00:00.000Z",
  last_seen_at: "2026-11-21T09:30:00.000Z"
}
const invitation = {
  id: "01a1f8d6-7280-7183-8c1d-93a2d1f0b7c4",
  email: "grace@example.com",
  role: "member",
  created_at: "2026-11-21T10:00:00.000Z",
  expires_at: "2026-11-28T10:00:00.000Z",
  invited_by: { id: member.id, email: member.email }
}
// Looks like a token, but its checksum is wrong.
const token = "dli_7hQz0000000000000000000000000000000000000000000000000"

export const members = {
  list: { response: { members: [member] } },
  changeRole: { request: { role: "viewer" }, response: { member: { ...member, role: "viewer" } } },
  remove: { request: {}, response: { ok: true } }
}

export const invitations = {
  list: { response: { invitations: [invitation] } },
  invite: {
    request: { email: "grace@example.com", role: "member" },
    response: { invitation, url: `https://app.example.com/dashboard/invitation#token=${token}` }
  },
  withdraw: { request: {}, response: { ok: true } }
}

export const acceptance = {
  open: {
    request: { token },
    response: {
      invitation: {
        email: "grace@example.com",
        role: "member",
        company_name: "Example Ltd",
        expires_at: "2026-11-28T10:00:00.000Z"
      }
    }
  },
  accept: {
    request: { token, password: "correct horse battery staple" },
    response: {
      ok: true,
      user: { id: "01a1f8d6-7281-7184-9d3e-0b1c2d3e4f50", email: "grace@example.com", role: "member" },
      company: { id: "01a1f8d6-727f-7182-9b8c-2fe4e9b94026", name: "Example Ltd" }
    }
  }
}
