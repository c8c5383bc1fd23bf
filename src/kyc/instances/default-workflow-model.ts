/** The steps of a workflow that names none. The document comes first, because what is read from its photo fills in the form. Imports only types, because the page loads it. */
import type { Workflow } from "./workflow-model.ts"

export const defaultWorkflow = {
  id: "default",
  version: 1,
  steps: [
    { id: "consent", type: "consent" },
    { id: "captcha", type: "captcha" },
    { id: "document", type: "document", mrz: "off" },
    {
      id: "person",
      type: "form",
      fields: [
        { id: "givenName", type: "text", autocomplete: "given-name", required: true, max: 100 },
        { id: "familyName", type: "text", autocomplete: "family-name", required: true, max: 100 },
        { id: "dateOfBirth", type: "date", autocomplete: "bday", required: true },
        { id: "nationality", type: "country", required: true }
      ]
    },
    { id: "review", type: "review" }
  ]
} satisfies Workflow

/** The workflow with its steps: a workflow without steps means the default one. */
export const withSteps = (workflow: Workflow): Workflow =>
  (workflow.steps ?? []).length === 0 ? defaultWorkflow : workflow
