/** @jsxImportSource preact */
/** What surrounds every page of the docs: search and contents. */
import type { ComponentChildren } from "preact"
import { Icon, Mark } from "../../web/brand/drawn.tsx"
import type { IconName } from "../../web/brand/icons.ts"
import type { Guide } from "./guides.ts"
import { Method } from "./parts.tsx"
import type { Site } from "./site.ts"

interface ContentsProps {
  readonly site: Site
  /** The address of the page. */
  readonly current: string
}

interface GuidesProps extends Pick<ContentsProps, "current"> {
  readonly title: string
  readonly icon: IconName
  readonly of: ReadonlyArray<Guide>
  /** Whether they are shown even if the page is none of them. */
  readonly open?: boolean
}

const Guides = ({ current, icon, of, open = false, title }: GuidesProps) => (
  <details class="goal" open={open || of.some(({ address }) => address === current)}>
    <summary>
      <Icon name={icon} /> {title}
    </summary>
    <ul class="part">
      {of.map(({ address, title: name }) => (
        <li key={address}>
          <a href={address} aria-current={address === current ? "page" : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  </details>
)

const Contents = ({ current, site: { events, goals, guides } }: ContentsProps) => (
  <>
    <a class="page-link" href="/docs" aria-current={current === "/docs" ? "page" : undefined}>
      <Icon name="overview" /> Overview
    </a>
    <Guides
      title="Guides"
      icon="docs"
      of={guides.filter(({ section }) => section === "Guides")}
      current={current}
      open={current === "/docs"}
    />
    <Guides
      title="Examples"
      icon="code"
      of={guides.filter(({ section }) => section === "Examples")}
      current={current}
    />
    {goals.map(({ groups, icon, title }) => (
      <details
        key={title}
        class="goal"
        open={groups.some(({ operations }) => operations.some(({ address }) => address === current))}
      >
        <summary>
          <Icon name={icon} /> {title}
        </summary>
        {groups.map(({ label, operations }) => (
          <section key={label} class="part">
            <p class="group">{label}</p>
            <ul>
              {operations.map(({ address, operation, title: name }) => (
                <li key={address}>
                  <a href={address} aria-current={address === current ? "page" : undefined}>
                    <span>{name}</span> <Method>{operation.method}</Method>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </details>
    ))}
    {events.length === 0 ? null : (
      <a class="page-link" href="/docs/events" aria-current={current === "/docs/events" ? "page" : undefined}>
        <Icon name="events" /> All events
      </a>
    )}
    <Guides
      title="Background"
      icon="audit"
      of={guides.filter(({ section }) => section === "Background")}
      current={current}
    />
  </>
)

interface FrameProps extends ContentsProps {
  readonly children: ComponentChildren
}

/** The contents are beside the page, and on a phone a popover, which needs no script. */
export const Frame = ({ children, ...contents }: FrameProps) => (
  <>
    <a class="skip button" href="#main">
      Skip to content
    </a>
    <header class="top">
      <a class="brand" href="/">
        <Mark /> doorlock
      </a>
      <a class="docs-home" href="/docs">
        Docs
      </a>
      <button type="button" class="button contents-button" popovertarget="contents">
        Contents
      </button>
      <a class="button sign-in" href="/dashboard">
        Dashboard
      </a>
    </header>
    <div class="frame">
      <nav id="contents" aria-label="Docs" popover="auto">
        <search id="search" />
        <div id="pages">
          <Contents {...contents} />
        </div>
      </nav>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  </>
)
