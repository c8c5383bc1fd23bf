/** One step of a workflow: the settings of all steps, and those of its type. */
import { texts } from "../../../../json.ts"
import type { Path } from "../../../common/json/document.ts"
import { useSpot } from "../../../common/json/editing.ts"
import { ChecksControl, ChoiceControl, SwitchControl } from "./choices.tsx"
import { ListControl, LocalTextControl, NumberControl, TextControl } from "./controls.tsx"
import { Items } from "./items.tsx"

export const stepTypes = [
  { value: "consent", label: "Consent" },
  { value: "captcha", label: "Captcha" },
  { value: "form", label: "Questions" },
  { value: "document", label: "Identity document" },
  { value: "selfie", label: "Selfie" },
  { value: "upload", label: "File upload" },
  { value: "review", label: "Review" }
] as const
export type StepType = (typeof stepTypes)[number]["value"]

const documentTypes = [
  { value: "passport", label: "Passport" },
  { value: "id_card", label: "Identity card" },
  { value: "driving_licence", label: "Driving licence" },
  { value: "residence_permit", label: "Residence permit" }
]

interface AtProps {
  readonly path: Path
}

const Countries = ({ path }: AtProps) => (
  <ListControl
    path={[...path, "countries"]}
    label="Countries"
    hint="ISO codes of three letters, such as EST, LVA. Every country when left out."
    placeholder="*"
  />
)

const ConsentOptions = ({ path }: AtProps) => (
  <Items
    path={[...path, "items"]}
    one="consent"
    title="What is agreed to"
    empty="Nothing listed: the page asks for one consent in its own words."
    make={(id) => ({ id, required: true, text: { en: "I agree." } })}
    nameKey="id"
  >
    {(item) => (
      <>
        <TextControl path={[...item, "id"]} label="Id" hint="Names the consent in the result." code />
        <LocalTextControl path={[...item, "text"]} label="Text" rows={3} />
        <TextControl path={[...item, "url"]} label="Where to read more" type="url" />
        <SwitchControl path={[...item, "required"]} label="The session ends without it" />
      </>
    )}
  </Items>
)

const FieldOptions = ({ path }: AtProps) => {
  const { value: type } = useSpot([...path, "type"])
  return (
    <>
      {type === "text" ? (
        <div class="fields">
          <NumberControl path={[...path, "min"]} label="Characters, at least" placeholder="0" />
          <NumberControl path={[...path, "max"]} label="Characters, at most" placeholder="200" />
        </div>
      ) : null}
      {type === "date" ? (
        <div class="fields">
          <NumberControl path={[...path, "minAge"]} label="Years ago, at least" />
          <NumberControl path={[...path, "maxAge"]} label="Years ago, at most" />
        </div>
      ) : null}
      {type === "country" ? <Countries path={path} /> : null}
      {type === "select" ? (
        <Items
          path={[...path, "options"]}
          one="option"
          title="Options"
          empty="No options yet."
          make={(value) => ({ value })}
          nameKey="value"
        >
          {(option) => (
            <div class="fields">
              <TextControl path={[...option, "value"]} label="Value" code />
              <LocalTextControl path={[...option, "label"]} label="Label" />
            </div>
          )}
        </Items>
      ) : null}
    </>
  )
}

const FormOptions = ({ path }: AtProps) => (
  <Items
    path={[...path, "fields"]}
    one="question"
    title="Questions"
    empty="No questions yet."
    make={(id) => ({ id, type: "text", label: { en: "Question" } })}
    nameKey="id"
  >
    {(field) => (
      <>
        <div class="fields">
          <TextControl path={[...field, "id"]} label="Id" hint="Key of the answer." code />
          <ChoiceControl
            path={[...field, "type"]}
            label="Kind of answer"
            otherwise="Please choose"
            choices={[
              { value: "text", label: "Text" },
              { value: "date", label: "Date" },
              { value: "country", label: "Country" },
              { value: "select", label: "One of several" }
            ]}
          />
        </div>
        <LocalTextControl path={[...field, "label"]} label="Question" />
        <LocalTextControl path={[...field, "help"]} label="Help beneath it" />
        <FieldOptions path={field} />
        <TextControl
          path={[...field, "autocomplete"]}
          label="What the browser may fill in"
          hint="A token of the HTML standard, such as given-name."
          code
        />
        <SwitchControl path={[...field, "required"]} label="An answer is needed" />
      </>
    )}
  </Items>
)

const DocumentOptions = ({ path }: AtProps) => {
  const { value } = useSpot([...path, "documents"])
  const all = documentTypes.map((type) => type.value)
  const offered = Array.isArray(value) && value.length > 0 ? texts(value) : all
  return (
    <>
      <ChecksControl
        path={[...path, "documents"]}
        label="Documents to choose from"
        choices={documentTypes}
        otherwise={all}
      />
      <Countries path={path} />
      <div class="fields">
        {documentTypes
          .filter((type) => offered.includes(type.value))
          .map((type) => (
            <NumberControl
              key={type.value}
              path={[...path, "sides", type.value]}
              label={`Sides of a ${type.label.toLowerCase()}`}
              placeholder={type.value === "passport" ? "1" : "2"}
            />
          ))}
      </div>
      <ChecksControl
        path={[...path, "ask"]}
        label="Asked for in writing"
        choices={[
          { value: "number", label: "Number" },
          { value: "expiry", label: "Valid until" }
        ]}
        otherwise={["number", "expiry"]}
      />
      <div class="fields">
        <ChoiceControl
          path={[...path, "mrz"]}
          label="Machine-readable zone"
          otherwise="Optional"
          same="optional"
          choices={[
            { value: "off", label: "Not asked for" },
            { value: "required", label: "Required" }
          ]}
        />
        <ChoiceControl
          path={[...path, "dedup"]}
          label="Look for earlier sessions of it"
          otherwise="As the page is set"
          choices={[
            { value: true, label: "Yes" },
            { value: false, label: "No" }
          ]}
        />
      </div>
    </>
  )
}

const SelfieOptions = ({ path }: AtProps) => (
  <>
    <NumberControl path={[...path, "prompts"]} label="Movements that are asked for, 0 to 4" placeholder="2" />
    <SwitchControl path={[...path, "skipIfNoCamera"]} label="Pass it over where there is no camera" />
  </>
)

/** The settings of a step type, in addition to those of all steps. */
const optionsOf = (type: unknown, path: Path) => {
  switch (type) {
    case "consent":
      return <ConsentOptions path={path} />
    case "form":
      return <FormOptions path={path} />
    case "document":
      return <DocumentOptions path={path} />
    case "selfie":
      return <SelfieOptions path={path} />
    case "upload":
      return <NumberControl path={[...path, "maxFiles"]} label="Files, 1 to 10" placeholder="1" />
    default:
      return null
  }
}

export const StepForm = ({ path }: AtProps) => {
  const { value: type } = useSpot([...path, "type"])
  return (
    <>
      <TextControl
        path={[...path, "id"]}
        label="Id"
        hint="The step's answers are kept under it. Unique in the workflow."
        code
      />
      {type === "captcha" ? (
        <p class="faint">It is done in the background, while the reader is busy with other steps.</p>
      ) : (
        <>
          <LocalTextControl path={[...path, "title"]} label="Heading" hint="The page's own when left out." />
          <LocalTextControl path={[...path, "text"]} label="Text beneath it" rows={2} />
        </>
      )}
      {optionsOf(type, path)}
      {type === "captcha" || type === "review" ? null : (
        <SwitchControl path={[...path, "optional"]} label="It may be skipped" />
      )}
    </>
  )
}
