/** What tries an endpoint: a test event, and the drill. */
import { useEffect, useRef, useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { useAction } from "../common/action.tsx"
import { type Answer, doorlock } from "../common/call.ts"
import { Badge, Section } from "../common/parts.tsx"
import { navigate } from "../common/router.tsx"
import { type Column, Table } from "../common/table.tsx"
import { deliveryPath, sending } from "./states.tsx"

/** Sends a test event and goes to its delivery, whose page shows how it ends. */
export const SendTest = ({ id }: { readonly id: string }) => {
  const { busy, problem, run } = useAction()
  const send = async () => {
    const { delivery } = await sending(doorlock.webhooks.test(id))
    await navigate(deliveryPath(delivery.id))
  }
  return (
    <>
      <Button look="primary" busy={busy} onClick={() => void run(send)}>
        Send a test
      </Button>
      {problem}
    </>
  )
}

type Report = Answer<"webhooks.drill">["report"]
type Step = Report["steps"][number]

const requests: Readonly<Record<Step["sent"], string>> = {
  good: "A good request",
  wrong_signature: "A wrong signature",
  old_timestamp: "A timestamp one hour old",
  duplicate: "The good request, repeated",
  altered_body: "An altered body"
}

/** What to change if the endpoint's answer was not the expected one. */
const remedies: Readonly<Record<Step["sent"], string>> = {
  good: "Check the secret or the public key, and verify the body as you received it.",
  wrong_signature: "Answer 4xx if no signature is right.",
  old_timestamp: "Answer 4xx if the timestamp is more than five minutes off.",
  duplicate: "Answer 2xx to an id that you have already processed.",
  altered_body: "Verify the bytes of the body, before you parse them."
}

/** A refusal is an answer: an endpoint that does not answer refuses nothing. */
const isAsExpected = ({ accepted, expected, status }: Step): boolean =>
  expected === "accepted" ? accepted : !accepted && status !== null

const columns: ReadonlyArray<Column<Step & { readonly id: string }>> = [
  {
    label: "Request",
    cell: ({ sent }) => requests[sent],
    under: (step) => (isAsExpected(step) || step.status === null ? null : remedies[step.sent])
  },
  { label: "Expected", cell: ({ expected }) => (expected === "accepted" ? "Accepted" : "Refused") },
  {
    label: "Result",
    cell: (step) => (
      <Badge tone={isAsExpected(step) ? "good" : "problem"}>
        {step.accepted ? "Accepted" : step.status === null ? "Not answered" : "Refused"}
      </Badge>
    )
  },
  {
    label: "Answer",
    cell: ({ reason, status }) => reason ?? `The endpoint answered ${status}.`
  },
  { label: "Time", numeric: true, cell: ({ milliseconds }) => `${milliseconds} ms` }
]

const ReportShown = ({ report: { passed, steps } }: { readonly report: Report }) => {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <>
      <Alert tone={passed ? "info" : "warning"} title={passed ? "Passed" : "Not passed"} boxRef={box}>
        <p>
          {passed
            ? "The endpoint accepted what it should accept, and refused the rest."
            : "The endpoint did not answer every request as it should. The table shows which, and what to change."}{" "}
          Only your server knows whether the repeated request took effect twice.
        </p>
      </Alert>
      <Table
        label="Drill report"
        rows={steps.map((step) => ({ ...step, id: step.sent }))}
        columns={columns}
      />
    </>
  )
}

/** Sends requests that the endpoint should refuse, and shows whether it did. */
export const Drill = ({ id }: { readonly id: string }) => {
  const { busy, problem, run } = useAction()
  const [report, setReport] = useState<Report>()
  const drill = async () => {
    setReport(undefined)
    setReport((await doorlock.webhooks.drill(id)).report)
  }
  return (
    <Section
      title="Drill"
      intro="Finds out whether the endpoint refuses forged requests. It sends a test event that your server should accept. Then it sends the same event again four times: with a wrong signature, with an old timestamp, unchanged, and with an altered body."
      actions={
        <Button busy={busy} onClick={() => void run(drill)}>
          Run drill
        </Button>
      }
    >
      {problem}
      {report === undefined ? null : <ReportShown report={report} />}
    </Section>
  )
}
