/** @jsxImportSource preact */
/** The first page: how to begin, what every call has in common, and all operations by goal. */
import { object } from "../../web/json.ts"
import { textOf } from "../../web/reference/document.ts"
import { Prose } from "../../web/reference/prose.tsx"
import { callOf } from "./operation-page.tsx"
import { Method, Samples } from "./parts.tsx"
import type { Site } from "./site.ts"

/** Without its first paragraph, which says what doorlock is. */
const commonRules = ({ document }: Site): string =>
  textOf(object(document.info).description).split("\n\n").slice(1).join("\n\n")

interface OverviewProps {
  readonly site: Site
  readonly base: string
}

const first = "kyc-session-creation.create"

const Start = ({ base, site: { document, operations } }: OverviewProps) => {
  const create = operations.find(({ operation }) => operation.operationId === first)
  if (create === undefined) return null
  return (
    <div class="split">
      <div>
        <h2>From zero to a verified person</h2>
        <ol class="steps">
          <li>
            <strong>Create an instance</strong> in the <a href="/dashboard/instances">dashboard</a>. It
            defines what people are asked for, and has a public key.
          </li>
          <li>
            <strong>Create a platform key</strong> with the scopes <code>kyc:sessions:create</code> and{" "}
            <code>kyc:sessions:read</code> under <a href="/dashboard/keys">API keys</a>. Keep it on your
            server.
          </li>
          <li>
            <strong>
              <a href={create.address}>Create a session</a>
            </strong>{" "}
            from your server, with the code shown here.
          </li>
          <li>
            <strong>Send the person</strong> to the <code>verificationUrl</code> of the response.
          </li>
          <li>
            <strong>Read the result</strong> with{" "}
            <a href="/docs/operations/kyc-partner-sessions.get">Read a session</a>, or let a{" "}
            <a href="/docs/events#kyc.session.completed">webhook</a> tell you.
          </li>
        </ol>
        <p>
          The <a href="/docs/guides/quickstart">Quickstart</a> shows each step, with what you should see.
        </p>
      </div>
      <div class="aside">
        <Samples call={callOf(document, base, create.operation)} />
      </div>
    </div>
  )
}

const Credentials = ({ site: { document } }: Pick<OverviewProps, "site">) => (
  <dl class="facts">
    {Object.entries(object(object(document.components).securitySchemes)).map(([name, given]) => {
      const scheme = object(given)
      const where =
        scheme.type === "http" ? "authorization: Bearer …" : `${textOf(scheme.name)} (${textOf(scheme.in)})`
      return (
        <div key={name}>
          <dt>
            <code>{where}</code>
          </dt>
          <dd>
            <Prose text={textOf(scheme.description)} />
          </dd>
        </div>
      )
    })}
  </dl>
)

const Guides = ({ site: { guides } }: Pick<OverviewProps, "site">) => (
  <section>
    <h2>Guides</h2>
    <ul class="guide-list">
      {guides
        .filter(({ section }) => section === "Guides")
        .map(({ about, address, title }) => (
          <li key={address}>
            <a href={address}>{title}</a>
            <span class="faint">{about}</span>
          </li>
        ))}
    </ul>
    <p>
      The <a href="/docs/examples">examples</a> are whole programs to copy from.
    </p>
  </section>
)

export const Overview = ({ base, site }: OverviewProps) => (
  <>
    <h1 tabIndex={-1}>doorlock API</h1>
    <p class="lead">
      Verify people, issue keys to your servers, and share APIs with other companies.{" "}
      <span class="keyboard-hint">
        Press <kbd>/</kbd> to search.
      </span>
    </p>
    <Start base={base} site={site} />
    <Guides site={site} />
    <section>
      <h2>What every call has in common</h2>
      <dl class="facts">
        <div>
          <dt>Base address</dt>
          <dd>
            <code>{base}</code>
          </dd>
        </div>
        <div>
          <dt>OpenAPI 3.1</dt>
          <dd>
            <a href="/openapi.json">/openapi.json</a>
          </dd>
        </div>
      </dl>
      <Prose text={commonRules(site)} />
      <h3>Credentials</h3>
      <Credentials site={site} />
    </section>
    <h2>What do you want to do?</h2>
    {site.goals.map(({ groups, intro, title }) => (
      <section key={title} class="goal-card">
        <h3>{title}</h3>
        <p class="faint">{intro}</p>
        <div class="groups">
          {groups.map(({ label, operations }) => (
            <div key={label}>
              <h4>{label}</h4>
              <ul>
                {operations.map(({ address, operation, title: name }) => (
                  <li key={address}>
                    <Method>{operation.method}</Method> <a href={address}>{name}</a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      </section>
    ))}
  </>
)
