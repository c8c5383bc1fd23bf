const content = {
  name: "Onboarding",
  config: { v: 1, title: { en: "Verify your identity" }, captcha: { minScore: 0.5 } },
  workflow: { v: 1, id: "onboarding", version: 1, steps: [{ id: "person", type: "form", fields: [] }] }
}

const instance = {
  id: "01a1f8d7-dfc4-72f6-b84c-9d48f8e69172",
  public_key: "kyc_pk_4Wq8sTnB2xLrV7cYpD1mKzE0",
  disabled_at: null,
  created_at: "2026-11-20T10:00:00.000Z",
  ...content
}

export const examples = {
  list: { response: { instances: [instance] } },
  create: { request: content, response: { instance } },
  get: { response: { instance } },
  update: { request: { disabled: false, name: "Onboarding" }, response: { instance } }
}
