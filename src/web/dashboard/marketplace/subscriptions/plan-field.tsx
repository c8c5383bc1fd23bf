/** A choice of plans, with all of them visible at once. */
import { useControl } from "../../common/form.tsx"
import { type ListedApi, limitsOf } from "../catalog/plans.tsx"

interface PlanFieldProps {
  readonly plans: ListedApi["plans"]
  readonly value: string
  readonly onChange: (id: string) => void
}

export const PlanField = ({ onChange, plans, value }: PlanFieldProps) => {
  const { error, id, mend, props } = useControl({ name: "planId", label: "Plan" })
  return (
    <fieldset
      class={error === undefined ? "choices" : "choices wrong"}
      id={id}
      aria-describedby={props["aria-describedby"]}
    >
      <legend>Plan</legend>
      {plans.map((plan) => (
        <label key={plan.id} class="choice">
          <input
            type="radio"
            name={props.name}
            value={plan.id}
            checked={plan.id === value}
            aria-invalid={props["aria-invalid"]}
            onChange={() => {
              mend()
              onChange(plan.id)
            }}
          />
          <span>
            {plan.name}
            <span class="under">{limitsOf(plan)}</span>
          </span>
        </label>
      ))}
      {error === undefined ? null : (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  )
}
