/** @jsxImportSource preact */
/** All events, with the body that webhook endpoints receive. */
import { bodyOf, type Operation, parametersOf } from "../../web/reference/document.ts"
import { Body, Inputs } from "../../web/reference/operation.tsx"
import { ProseLine } from "../../web/reference/prose.tsx"
import { parts } from "./parts.tsx"
import type { Site } from "./site.ts"

const { Disclosure } = parts

export const EventsPage = ({ site: { document, events } }: { readonly site: Site }) => {
  const bodies = (operation: Operation) => bodyOf(document, operation)?.media ?? []
  const [first] = events
  return (
    <>
      <p class="trail">Receive events</p>
      <h1 tabIndex={-1}>All events</h1>
      <p class="lead">
        The <a href="/docs/operations/events.list">feed</a> has these events, and doorlock sends them to your{" "}
        <a href="/docs/operations/webhooks.create">webhook endpoints</a>.
      </p>
      {first === undefined ? null : (
        <section>
          <h2>Headers of a webhook</h2>
          <Inputs of={parametersOf(document, first.operation)} />
        </section>
      )}
      <h2>Events</h2>
      {events.map(({ operation, type }) => (
        <section key={type} id={type} class="event">
          <Disclosure
            summary={
              <>
                <code>{type}</code>{" "}
                <span class="faint">
                  <ProseLine text={operation.summary} />
                </span>
              </>
            }
          >
            {() => <Body label={type} media={bodies(operation)} />}
          </Disclosure>
        </section>
      ))}
    </>
  )
}
