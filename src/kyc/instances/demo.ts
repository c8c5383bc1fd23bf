import type { InstanceRequest } from "./service.ts"

/** The instance of the first start: a flow that shows every kind of step. */
export const demoInstance: InstanceRequest = {
  name: "Demo verification",
  config: {
    v: 1,
    title: { en: "Verify your identity" },
    locales: ["en"],
    defaultLocale: "en"
  },
  workflow: {
    v: 1,
    id: "demo",
    version: 1,
    steps: [
      {
        id: "consent",
        type: "consent",
        items: [{ id: "privacy", required: true, text: { en: "I agree that my details are checked." } }]
      },
      { id: "captcha", type: "captcha" },
      {
        id: "person",
        type: "form",
        fields: [
          { id: "givenName", type: "text", autocomplete: "given-name", required: true, max: 100 },
          { id: "familyName", type: "text", autocomplete: "family-name", required: true, max: 100 },
          { id: "dateOfBirth", type: "date", autocomplete: "bday", required: true, minAge: 18 },
          { id: "nationality", type: "country", required: true }
        ]
      },
      {
        id: "document",
        type: "document",
        documents: ["passport", "id_card"],
        sides: { passport: 1, id_card: 2 },
        ask: ["number", "expiry"],
        dedup: true
      },
      { id: "review", type: "review" }
    ]
  }
}
