/** The workflow of an instance as a form: its steps in order. */
import { useState } from "preact/hooks"
import { isObject, list, object, text } from "../../../../json.ts"
import { inLanguage, localText } from "../../../../kyc/instances/config.ts"
import { usualWorkflow } from "../../../../kyc/instances/workflow.ts"
import { Button } from "../../../../ui/parts.tsx"
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

const labelOf = (type: unknown): string =>
  stepTypes.find(({ value }) => value === type)?.label ?? text(type) ?? "Step"

interface WorkflowFormProps {
  /** Called with the id of a step that is opened. */
  readonly onStep: (id: string) => void
}

export const WorkflowForm = ({ onStep }: WorkflowFormProps) => {
  const { language, showText } = useEditing()
  const of = useItems(["steps"])
  const { set } = useSpot(["steps"])
  const { value: rules } = useSpot(["rules"])
  const [type, setType] = useState<StepType>("form")
  const [added, setAdded] = useState<number>()
  const ruleCount = list(rules).length
  return (
    <>
      <Problem path={["steps"]} label="Steps" />
      {of.items.length === 0 ? (
        <div class="no-steps">
          <p>No steps of its own: the page goes through the usual ones, as the preview shows.</p>
          <Button onClick={() => set(usualWorkflow.steps)}>Start from the usual steps</Button>
        </div>
      ) : null}
      <ol class="cards">
        {of.items.map((item, index) => {
          const step = object(item)
          const id = text(step.id) ?? ""
          const title = inLanguage(localText(step.title), [language, "en"]) ?? labelOf(step.type)
          return (
            <Card
              key={of.keys[index]}
              of={of}
              index={index}
              name={`step ${id}`}
              path={["steps"]}
              fresh={added === index}
              onOpen={() => onStep(id)}
              summary={
                <>
                  <strong>{title}</strong>
                  <span class="faint">
                    {title === labelOf(step.type) ? null : `${labelOf(step.type)} · `}
                    <code>{id}</code>
                  </span>
                  {isObject(item) && step.optional === true ? <Badge>Optional</Badge> : null}
                </>
              }
            >
              <StepForm path={["steps", index]} />
            </Card>
          )
        })}
      </ol>
      <Removed of={of} one="step" />
      <div class="add-step">
        <label>
          <span class="visually-hidden">Type of the new step</span>
          <select
            value={type}
            onChange={(event) =>
              setType(stepTypes.find(({ value }) => value === event.currentTarget.value)?.value ?? type)
            }
          >
            {stepTypes.map(({ label, value }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <Button
          onClick={() => {
            setAdded(of.items.length)
            of.add(newStep(type, freshName(of.items, "id", type)))
          }}
        >
          Add step
        </Button>
      </div>
      <Problem path={["rules"]} label="Rules" />
      <p class="faint">
        {ruleCount === 0
          ? "Rules pass over steps or end the session, depending on answers."
          : `${ruleCount === 1 ? "One rule depends" : `${ruleCount} rules depend`} on answers.`}{" "}
        <button type="button" class="link" onClick={() => showText()}>
          Edit them in the JSON
        </button>
      </p>
    </>
  )
}
