import { useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { useMayWrite } from "../common/account.ts"
import { useAction } from "../common/action.tsx"
import { type Answer, doorlock } from "../common/call.ts"
import { Snippet } from "../common/copy.tsx"
import { Disclosure } from "../common/disclosure.tsx"
import { useLive } from "../common/live.ts"
import type { PageProps } from "../common/page.ts"
import { Badge, Facts, formatCount, Page, Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"
import { Time } from "../common/time.tsx"
import { eventPath, eventTypes } from "../events/event-types.ts"
import { DeliveryState, type Endpoint, endpointPath, loadEndpoint, nameOf, sending } from "./states.tsx"

type Delivery = Answer<"webhooks.getDelivery">["delivery"]
type Attempt = Delivery["tried"][number]

interface Loading {
  readonly delivery: Delivery
  readonly endpoint: Endpoint
}

const load = async (id: string, signal: AbortSignal): Promise<Loading> => {
  const { delivery } = await doorlock.webhooks.getDelivery(id, { signal })
  return { delivery, endpoint: await loadEndpoint(delivery.endpoint_id, signal) }
}

/** The headers and the body that all attempts have in common. */
const requestOf = ({ delivery: { event, sequence }, endpoint }: Loading): string =>
  [
    `POST ${endpoint.url}`,
    "content-type: application/json",
    `webhook-id: ${event.id}`,
    `doorlock-sequence: ${sequence}`,
    "",
    JSON.stringify(event)
  ].join("\n")

interface AttemptProps {
  readonly attempt: Attempt
  readonly number: number
  /** Whether its answer is shown at first. */
  readonly open: boolean
}

const AttemptShown = ({ attempt, number, open }: AttemptProps) => {
  const { answer, at, milliseconds, reason, status } = attempt
  return (
    <li class={reason === null ? "good" : "problem"}>
      <p>
        Attempt {number} <Badge tone={reason === null ? "good" : "problem"}>{status ?? "No answer"}</Badge>
      </p>
      <span class="under">
        <Time at={at} precise="seconds" />, {formatCount(milliseconds)} ms
      </span>
      {reason === null ? null : <div>{reason}</div>}
      {answer === null || answer === "" ? (
        <div class="faint">
          {status === null
            ? null
            : answer === null
              ? "The body of the answer is not stored."
              : "The answer had no body."}
        </div>
      ) : (
        <Disclosure class="raw" summary="Body of the answer" open={open}>
          {() => <Snippet label={`Answer ${number}`} text={answer} />}
        </Disclosure>
      )}
    </li>
  )
}

/** What will happen to a delivery that has not succeeded; undefined if its status says it. */
const outlook = ({ delivery, endpoint }: Loading): string | undefined => {
  if (delivery.status === "failed") {
    return "doorlock has stopped trying. Fix your server, then send it again, or recover all that failed."
  }
  if (delivery.status === "held") return "The endpoint is disabled. Enable it, then recover what was held."
  return delivery.status === "pending" && endpoint.status === "disabled"
    ? "At the next attempt, it is held if the endpoint is still disabled."
    : undefined
}

const DeliveryShown = ({ delivery, endpoint }: Loading) => {
  const first = delivery.attempts - delivery.tried.length + 1
  const lastWithBody = delivery.tried.findLastIndex(({ answer }) => answer !== null && answer !== "")
  return (
    <>
      <Section title="About">
        <Facts
          of={[
            [
              "Status",
              <div key="status">
                <DeliveryState {...delivery} />
                <span class="under">{outlook({ delivery, endpoint })}</span>
              </div>
            ],
            [
              "Endpoint",
              <Link key="endpoint" to={endpointPath(endpoint.id)}>
                <bdi>{nameOf(endpoint)}</bdi>
              </Link>
            ],
            [
              "Event",
              <Link key="event" to={eventPath(delivery.event_id)}>
                {eventTypes[delivery.event_type]}
              </Link>
            ],
            ["Sequence", formatCount(delivery.sequence)],
            ["Time of the event", <Time key="created" at={delivery.created_at} precise="seconds" />],
            [
              "Next attempt",
              <Time key="next" at={delivery.next_attempt_at} never="None" precise="seconds" />
            ],
            ["Id", <code key="id">{delivery.id}</code>]
          ]}
        />
      </Section>
      <div class="exchange">
        <Section
          title="Request"
          intro="The same in each attempt, except for its time and signatures (webhook-timestamp, webhook-signature, doorlock-sequence-signature). The URL is the one that the endpoint has now."
        >
          <Snippet label="Request" text={requestOf({ delivery, endpoint })} />
        </Section>
        <Section title="Answers">
          {delivery.tried.length === 0 ? (
            <p class="faint">{delivery.attempts === 0 ? "Not sent yet." : "No longer stored."}</p>
          ) : (
            <ol class="timeline" aria-label="Attempts, newest first">
              {delivery.tried
                .map((attempt, index) => (
                  <AttemptShown
                    key={attempt.at}
                    attempt={attempt}
                    number={first + index}
                    open={index === lastWithBody}
                  />
                ))
                .reverse()}
            </ol>
          )}
        </Section>
      </div>
    </>
  )
}

export const DeliveryPage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => load(id, signal), [id])
  useLive(loaded.refresh)
  const { busy, problem, run } = useAction()
  const [sent, setSent] = useState(false)
  const known = loaded.value
  const sendAgain = async () => {
    setSent(false)
    await sending(doorlock.webhooks.retryDelivery(id))
    setSent(true)
    await loaded.refresh()
  }
  return (
    <Page
      title={known === undefined ? "Delivery" : eventTypes[known.delivery.event_type]}
      parent={
        known === undefined
          ? { to: "/dashboard/webhooks", label: "Webhooks" }
          : { to: endpointPath(known.endpoint.id), label: nameOf(known.endpoint) }
      }
      intro="One event for one endpoint, with every attempt to send it."
      actions={
        useMayWrite() && known !== undefined ? (
          <>
            <Button look="primary" busy={busy} onClick={() => void run(sendAgain)}>
              Send again
            </Button>
            {problem}
            {sent ? (
              <Alert tone="good">
                <p>The event is being sent again. The response will appear below.</p>
              </Alert>
            ) : null}
          </>
        ) : undefined
      }
    >
      <Loaded of={loaded}>{(all) => <DeliveryShown {...all} />}</Loaded>
    </Page>
  )
}
