/** @jsxImportSource preact */
/** A guide: its text, and on a wide screen what is on the page. */
import { addressOfLink, type Guide } from "./guides.ts"
import { Markdown } from "./markdown.tsx"
import { Neighbours } from "./parts.tsx"
import type { Site } from "./site.ts"

interface GuidePageProps {
  readonly site: Site
  readonly of: Guide
  readonly base: string
}

export const GuidePage = ({ base, of: guide, site: { guides } }: GuidePageProps) => {
  const here = guides.indexOf(guide)
  const sections = guide.headings.filter(({ depth }) => depth === 2)
  return (
    <div class="with-contents">
      <article class="guide">
        <p class="trail">{guide.section}</p>
        <h1 tabIndex={-1}>{guide.title}</h1>
        <Markdown tokens={guide.tokens} addressOf={(href) => addressOfLink(guides, base, guide.file, href)} />
        <p class="as-markdown">
          <a href={`${guide.address}.md`}>This page as Markdown</a>
        </p>
        <Neighbours of="guide" before={guides[here - 1]} after={guides[here + 1]} />
      </article>
      {sections.length < 2 ? null : (
        <nav class="on-page" aria-label="On this page">
          <p>On this page</p>
          <ul>
            {sections.map(({ anchor, text }) => (
              <li key={anchor}>
                <a href={`#${anchor}`}>{text}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  )
}
