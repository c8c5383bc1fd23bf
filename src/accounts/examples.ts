/** A good call of each route, for the description. */
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
  me: { response: { user, company } }
}
