import type { ComponentType } from "preact"
import { texts } from "../../../../json.ts"
import type { DocumentType } from "../../../../kyc/instances/workflow.ts"
import { useSpot } from "../../../common/json/editing.ts"
import { ChecksControl, ChoiceControl, SwitchControl, yesOrNo } from "./choices.tsx"
import { ListControl, LocalTextControl, NumberControl, TextControl } from "./controls.tsx"
import { Items } from "./items.tsx"

export const stepTypes = {
  consent: "Consent",
  captcha: "Captcha",
  form: "Questions",
  document: "Identity document",
  selfie: "Selfie",
  upload: "File upload",
  review: "Review"
} as const
export type StepType = keyof typeof stepTypes

const documentTypes: Readonly<Record<DocumentType, string>> = {
  passport: "Passport",
  id_card: "Identity card",
  driving_licence: "Driving licence",
  residence_permit: "Residence permit"
}

const Countries = () => (
  <ListControl
    at="countries"
    label="Countries"
    hint="Three-letter ISO codes, such as EST, LVA. If empty, every country."
    placeholder="*"
  />
)

const ConsentOptions = () => (
  <Items
    at="items"
    one="consent"
    title="Consents"
    empty="None listed: the page asks for one consent, with its own text."
    make={(id) => ({ id, required: true, text: { en: "I agree." } })}
    nameKey="id"
  >
    <TextControl at="id" label="Id" hint="Identifies the consent in the result." code />
    <LocalTextControl at="text" label="Text" rows={3} />
    <TextControl at="url" label="Link to more information" type="url" />
    <SwitchControl at="required" label="Required: without this consent, the session ends" />
  </Items>
)

/** The settings of a question, by the type of its answer. */
const FieldOptions = () => {
  const { value: type } = useSpot("type")
  switch (type) {
    case "text":
      return (
        <div class="fields">
          <NumberControl at="min" label="Minimum length in characters" placeholder="0" />
          <NumberControl at="max" label="Maximum length in characters" placeholder="200" />
        </div>
      )
    case "date":
      return (
        <div class="fields">
          <NumberControl at="minAge" label="Minimum age in years" />
          <NumberControl at="maxAge" label="Maximum age in years" />
        </div>
      )
    case "country":
      return <Countries />
    case "select":
      return (
        <Items
          at="options"
          one="option"
          title="Options"
          empty="No options yet."
          make={(value) => ({ value })}
          nameKey="value"
        >
          <div class="fields">
            <TextControl at="value" label="Value" code />
            <LocalTextControl at="label" label="Label" />
          </div>
        </Items>
      )
    default:
      return null
  }
}

const FormOptions = () => (
  <Items
    at="fields"
    one="question"
    title="Questions"
    empty="No questions yet."
    make={(id) => ({ id, type: "text", label: { en: "Question" } })}
    nameKey="id"
  >
    <div class="fields">
      <TextControl at="id" label="Id" hint="Key of the answer." code />
      <ChoiceControl
        at="type"
        label="Kind of answer"
        choices={{
          "": "Please choose",
          text: "Text",
          date: "Date",
          country: "Country",
          select: "Choice from a list"
        }}
      />
    </div>
    <LocalTextControl at="label" label="Question" />
    <LocalTextControl at="help" label="Help text" />
    <FieldOptions />
    <TextControl
      at="autocomplete"
      label="Autofill"
      hint="What the browser may fill in: an autocomplete value of HTML, such as given-name."
      code
    />
    <SwitchControl at="required" label="Users must answer" />
  </Items>
)

const DocumentOptions = () => {
  const { value } = useSpot("documents")
  const offered = texts(value)
  return (
    <>
      <ChecksControl at="documents" label="Accepted documents" choices={documentTypes} />
      <Countries />
      <div class="fields">
        {Object.entries(documentTypes)
          .filter(([type]) => offered.length === 0 || offered.includes(type))
          .map(([type, label]) => (
            <NumberControl
              key={type}
              at={`sides.${type}`}
              label={`Sides of a ${label.toLowerCase()}`}
              placeholder={type === "passport" ? "1" : "2"}
            />
          ))}
      </div>
      <ChecksControl
        at="ask"
        label="Details to enter"
        choices={{ number: "Number", expiry: "Valid until" }}
      />
      <div class="fields">
        <ChoiceControl
          at="mrz"
          label="Machine-readable zone"
          choices={{ optional: "Optional", off: "Not asked for", required: "Required" }}
        />
        <ChoiceControl
          at="dedup"
          label="Look for earlier sessions with this document"
          choices={yesOrNo("As in the page settings")}
        />
      </div>
    </>
  )
}

const SelfieOptions = () => (
  <>
    <NumberControl at="prompts" label="Head movements, 0 to 4" placeholder="2" />
    <SwitchControl at="skipIfNoCamera" label="Skip this step if there is no camera" />
  </>
)

const UploadOptions = () => <NumberControl at="maxFiles" label="Number of files, 1 to 10" placeholder="1" />

/** The settings of each step type, in addition to those of all steps. */
const options = new Map<unknown, ComponentType>([
  ["consent", ConsentOptions],
  ["form", FormOptions],
  ["document", DocumentOptions],
  ["selfie", SelfieOptions],
  ["upload", UploadOptions]
])

/** The edited part of the document is the step. */
export const StepForm = () => {
  const { value: type } = useSpot("type")
  const Options = options.get(type)
  return (
    <>
      <TextControl
        at="id"
        label="Id"
        hint="The answers are stored under this name. It must be unique in the workflow."
        code
      />
      {type === "captcha" ? (
        <p class="faint">The captcha runs in the background while the user works on other steps.</p>
      ) : (
        <>
          <LocalTextControl at="title" label="Heading" hint="If empty, the page’s default." />
          <LocalTextControl at="text" label="Introduction" rows={2} />
        </>
      )}
      {Options === undefined ? null : <Options />}
      {type === "captcha" || type === "review" ? null : (
        <SwitchControl at="optional" label="Users can skip this step" />
      )}
    </>
  )
}
