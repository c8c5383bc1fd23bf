import type { Config } from "./config-model.ts"
import type { Workflow } from "./workflow-model.ts"

const config: Config = {
  v: 1,
  title: {
    en: "Verify your identity",
    et: "Tuvasta oma isik",
    de: "Identität bestätigen",
    fr: "Vérifiez votre identité",
    es: "Verifica tu identidad",
    ar: "تحقق من هويتك"
  },
  locales: ["en", "et", "de", "fr", "es", "ar"],
  defaultLocale: "en",
  legal: {
    company: "Example Ltd",
    privacyUrl: "https://example.com/privacy",
    termsUrl: "https://example.com/terms",
    consentVersion: "2026-11"
  },
  theme: { primary: "#1f5eff", onPrimary: "#ffffff", radius: 8, mode: "auto", logoUrl: null },
  captcha: { required: true, provider: "builtin", minScore: 0.5 },
  dedup: { enabled: true, scope: "demo", strategy: "document", onMatch: "review" },
  capture: {
    sources: ["camera", "upload"],
    mime: ["image/jpeg", "image/png", "application/pdf"],
    maxBytes: 5_242_880,
    maxEdge: 2200,
    minEdge: 900
  },
  handoff: { enabled: true },
  embed: { allowedOrigins: [] },
  redirect: { allowedHosts: [], autoDelayMs: 3000, appendStatus: false },
  review: { mode: "manual", fourEyes: false }
}

const workflow: Workflow = {
  v: 1,
  id: "demo",
  version: 1,
  steps: [
    {
      id: "consent",
      type: "consent",
      items: [
        {
          id: "privacy",
          required: true,
          text: {
            en: "I agree that Example Ltd checks my details to verify who I am.",
            et: "Nõustun, et Example Ltd kontrollib mu andmeid minu isiku tuvastamiseks.",
            de: "Ich bin einverstanden, dass Example Ltd meine Angaben prüft, um meine Identität zu bestätigen.",
            fr: "J'accepte qu'Example Ltd contrôle mes données pour vérifier mon identité.",
            es: "Acepto que Example Ltd compruebe mis datos para verificar mi identidad.",
            ar: "أوافق على أن تتحقق Example Ltd من بياناتي للتأكد من هويتي."
          },
          url: "https://example.com/privacy"
        }
      ]
    },
    { id: "captcha", type: "captcha" },
    {
      id: "document",
      type: "document",
      documents: ["passport", "id_card", "driving_licence", "residence_permit"],
      countries: ["*"],
      sides: { passport: 1, id_card: 2 },
      ask: ["number", "expiry"],
      mrz: "optional",
      dedup: true
    },
    {
      id: "person",
      type: "form",
      title: {
        en: "About you",
        et: "Sinu andmed",
        de: "Über Sie",
        fr: "À propos de vous",
        es: "Sobre ti",
        ar: "معلومات عنك"
      },
      fields: [
        { id: "givenName", type: "text", autocomplete: "given-name", required: true, max: 100 },
        { id: "familyName", type: "text", autocomplete: "family-name", required: true, max: 100 },
        { id: "dateOfBirth", type: "date", autocomplete: "bday", required: true, minAge: 18 },
        { id: "nationality", type: "country", required: true },
        {
          id: "occupation",
          type: "select",
          label: {
            en: "Occupation",
            et: "Tegevusala",
            de: "Beschäftigung",
            fr: "Profession",
            es: "Ocupación",
            ar: "المهنة"
          },
          options: [
            {
              value: "employed",
              label: {
                en: "Employed",
                et: "Töötan",
                de: "Berufstätig",
                fr: "En emploi",
                es: "Con empleo",
                ar: "موظف"
              }
            },
            {
              value: "student",
              label: {
                en: "Student",
                et: "Õpin",
                de: "In Ausbildung",
                fr: "En études",
                es: "Estudiante",
                ar: "طالب"
              }
            },
            {
              value: "other",
              label: { en: "Other", et: "Muu", de: "Anderes", fr: "Autre", es: "Otra", ar: "أخرى" }
            }
          ]
        }
      ]
    },
    { id: "selfie", type: "selfie", prompts: 2, skipIfNoCamera: true },
    {
      id: "address",
      type: "upload",
      optional: true,
      maxFiles: 2,
      title: {
        en: "Proof of address",
        et: "Aadressi tõend",
        de: "Adressnachweis",
        fr: "Justificatif de domicile",
        es: "Prueba de domicilio",
        ar: "إثبات العنوان"
      },
      text: {
        en: "A bill or a letter from a bank of the last three months.",
        et: "Viimase kolme kuu arve või pangakiri.",
        de: "Eine Rechnung oder ein Schreiben der Bank aus den letzten drei Monaten.",
        fr: "Une facture ou un courrier de banque de moins de trois mois.",
        es: "Una factura o una carta del banco de los últimos tres meses.",
        ar: "فاتورة أو رسالة من بنك من الأشهر الثلاثة الأخيرة."
      }
    },
    { id: "review", type: "review" }
  ],
  rules: [
    {
      after: "document",
      if: { path: "document.type", op: "eq", value: "residence_permit" },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the format; nothing awaits it.
      then: { skip: ["address"] }
    }
  ]
}

/** The instance that the first start creates: a flow with every kind of step, in six languages. */
export const demoInstance = { name: "Demo verification", config, workflow }
