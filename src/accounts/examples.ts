const user = { id: "01a1f8d6-727f-7181-ad0f-bd032ea33066", email: "ada@example.com", role: "owner" }
const company = { id: "01a1f8d6-727f-7182-9b8c-2fe4e9b94026", name: "Example Ltd" }
const credentials = { email: "ada@example.com", password: "correct horse battery staple" }

export const examples = {
  signup: {
    request: { companyName: "Example Ltd", ...credentials },
    response: { ok: true, user, company }
  },
  login: { request: credentials, response: { ok: true, user, company } },
  logout: { request: {}, response: { ok: true } },
  me: { response: { user, company } },
  changePassword: {
    request: { currentPassword: credentials.password, newPassword: "a better battery staple" },
    response: { ok: true }
  },
  sessions: {
    response: {
      sessions: [
        {
          id: "6f1c2b9e-5d0e-4c43-9a55-2f3c5f1f8f10",
          current: true,
          user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
          created_at: "2026-11-20T10:00:00.000Z",
          last_seen_at: "2026-11-21T09:30:00.000Z",
          expires_at: "2026-12-20T10:00:00.000Z"
        }
      ]
    }
  },
  endSession: { request: {}, response: { ok: true } },
  endOtherSessions: { request: {}, response: { ok: true } }
}
