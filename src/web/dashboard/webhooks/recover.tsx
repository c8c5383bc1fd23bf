import { useEffect, useRef, useState } from "preact/hooks"
import { Alert } from "../../ui/parts.tsx"
import { doorlock } from "../common/call.ts"
import { SelectField, TextField } from "../common/fields.tsx"
import { Form, Submit, useFields } from "../common/form.tsx"
import { formatCount, Section } from "../common/parts.tsx"
import { sending } from "./states.tsx"

/** In hours. The API refuses more than 30 days. */
const periods = [
  ["1", "An hour ago"],
  ["24", "A day ago"],
  ["168", "A week ago"],
  ["719", "30 days ago"],
  ["at", "A date"]
] as const

type Period = (typeof periods)[number][0]

const hourMillis = 3_600_000

/** A selected day begins at midnight in the user's time zone. */
const startOf = (period: Period, day: string): string => {
  if (period !== "at") return new Date(Date.now() - Number(period) * hourMillis).toISOString()
  const start = new Date(`${day}T00:00`)
  // The API refuses an invalid day.
  return Number.isNaN(start.getTime()) ? day : start.toISOString()
}

const sentence = (count: number): string =>
  count === 0
    ? "Nothing has failed or been held since then."
    : `${formatCount(count)} ${count === 1 ? "delivery is" : "deliveries are"} sent again, oldest first.`

/** Sends again what failed or was held. */
export const Recover = ({ id }: { readonly id: string }) => {
  const { field, values } = useFields({ period: "24" as Period, since: "" })
  const [count, setCount] = useState<{ readonly sent: number }>()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [count])
  return (
    <Section
      title="Recover"
      intro="Resends deliveries that failed or were held, at 20 a second. Deliveries that are retrying follow at their next attempt."
    >
      <Form
        label="Recover"
        onSubmit={async () => {
          setCount(undefined)
          const body = { since: startOf(values.period, values.since) }
          const { deliveries } = await sending(doorlock.webhooks.recover(id, body))
          setCount({ sent: deliveries })
        }}
      >
        <SelectField {...field("period")} label="Since" choices={periods} />
        {values.period === "at" ? (
          <TextField
            {...field("since")}
            label="Day"
            type="date"
            inWords={() => "Choose a day of the last 30 days."}
          />
        ) : null}
        {count === undefined ? null : (
          <Alert tone="good" boxRef={box}>
            <p>{sentence(count.sent)}</p>
          </Alert>
        )}
        <Submit>Recover</Submit>
      </Form>
    </Section>
  )
}
