import { useState } from "preact/hooks"
import { defaultWorkflow } from "../../../../../kyc/instances/default-workflow-model.ts"
import { list, object, text } from "../../../../json.ts"
import { inLanguage, localText } from "../../../../kyc/instances/config.ts"
import { Button } from "../../../../ui/parts.tsx"
import { Select } from "../../../common/fields.tsx"
import { useEditing, useSpot } from "../../../common/json/editing.ts"
import { Badge } from "../../../common/parts.tsx"
import { freshName, useItems } from "./item-order.ts"
import { Card, Removed } from "./items.tsx"
import { Problem } from "./problems.tsx"
import { StepForm, type StepType, stepTypes } from "./step-form.tsx"

/** A new step with the minimum that the API accepts. */
const newStep = (type: StepType, id: string) =>
  type === "form"
    ? { id, type, fields: [{ id: "question", type: "text", label: { en: "Question" } }] }
    : { id, type }

const isStepType = (type: unknown): type is StepType =>
  typeof type === "string" && Object.hasOwn(stepTypes, type)

const labelOf = (type: unknown): string => (isStepType(type) ? stepTypes[type] : (text(type) ?? "Step"))

/** Calls `onStep` with the id of a step that is opened. */
export const WorkflowForm = ({ onStep }: { readonly onStep: (id: string) => void }) => {
  const { language, showText } = useEditing()
  const of = useItems("steps")
  const { set } = useSpot("steps")
  const { value: rules } = useSpot("rules")
  const [type, setType] = useState<StepType>("form")
  const ruleCount = list(rules).length
  return (
    <>
      <Problem at="steps" label="Steps" />
      {of.items.length === 0 ? (
        <div class="no-steps">
          <p>No steps yet: the page shows the default steps, as in the preview.</p>
          <Button onClick={() => set(defaultWorkflow.steps)}>Start from the default steps</Button>
        </div>
      ) : null}
      <ol class="cards">
        {of.items.map((item, index) => {
          const step = object(item)
          const label = labelOf(step.type)
          const id = text(step.id) ?? ""
          const title = inLanguage(localText(step.title), [language, "en"]) ?? label
          return (
            <Card
              key={of.keys[index]}
              of={of}
              index={index}
              name={`step ${id}`}
              onOpen={() => onStep(id)}
              summary={
                <>
                  <strong>{title}</strong>
                  <span class="faint">
                    {title === label ? null : `${label} · `}
                    <code>{id}</code>
                  </span>
                  {step.optional === true ? <Badge>Optional</Badge> : null}
                </>
              }
            >
              <StepForm />
            </Card>
          )
        })}
      </ol>
      <Removed of={of} one="step" />
      <div class="add-step">
        <Select
          aria-label="Type of the new step"
          value={type}
          choices={Object.entries(stepTypes)}
          onChange={(chosen) => {
            if (isStepType(chosen)) setType(chosen)
          }}
        />
        <Button onClick={() => of.add(newStep(type, freshName(of.items, "id", type)))}>Add step</Button>
      </div>
      <Problem at="rules" label="Rules" />
      <p class="faint">
        {ruleCount === 0
          ? "Rules skip steps or end the session, depending on answers."
          : `${ruleCount === 1 ? "One rule depends" : `${ruleCount} rules depend`} on answers.`}{" "}
        <button type="button" class="link" onClick={() => showText()}>
          Edit the rules as JSON
        </button>
      </p>
    </>
  )
}
