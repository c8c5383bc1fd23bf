/** The config of an instance as a form. Settings without a control can be changed as text. */
import { languages } from "../../../../kyc/i18n/languages.ts"
import { fileTypes } from "../../sessions/timeline.tsx"
import { ChecksControl, ChoiceControl, SwitchControl, yesOrNo } from "./choices.tsx"
import { ListControl, LocalTextControl, languageName, NumberControl, TextControl } from "./controls.tsx"
import { Items } from "./items.tsx"
import { ColourControl, ImageControl } from "./look.tsx"
import { Group } from "./problems.tsx"

const locales = Object.fromEntries(Object.keys(languages).map((tag) => [tag, languageName(tag)]))

export const ConfigForm = () => (
  <>
    <Group title="Appearance" open>
      <LocalTextControl at="title" label="Title" placeholder="Verify your identity" />
      <div class="fields">
        <ColourControl
          at="theme.primary"
          label="Colour"
          hint="For buttons and selected items."
          placeholder="#1f4fd8"
        />
        <ColourControl
          at="theme.onPrimary"
          label="Text colour on buttons and selected items"
          hint="If empty, black or white, whichever is easier to read."
          placeholder="#ffffff"
        />
        <NumberControl at="theme.radius" label="Corner radius in pixels" placeholder="8" />
        <ChoiceControl
          at="theme.mode"
          label="Light or dark"
          choices={{ auto: "Same as the device", light: "Light", dark: "Dark" }}
        />
      </div>
      <ImageControl
        at="theme.logoUrl"
        label="Logo"
        hint="PNG, JPEG, WebP or SVG, 73 kB at most. It is stored in the config."
      />
    </Group>
    <Group title="Languages">
      <ChecksControl at="locales" label="Languages that users can choose" choices={locales} />
      <ChoiceControl at="defaultLocale" label="Default language" choices={locales} />
    </Group>
    <Group title="Your company">
      <TextControl at="legal.company" label="Company" hint="Shown where users give their consent." />
      <TextControl at="legal.privacyUrl" label="Link to the privacy notice" type="url" />
      <TextControl at="legal.termsUrl" label="Link to the terms" type="url" />
      <TextControl
        at="legal.consentVersion"
        label="Version of the consent texts"
        hint="Stored with every consent."
      />
    </Group>
    <Group title="Photos and files">
      <ChecksControl
        at="capture.sources"
        label="Ways to provide a picture"
        choices={{ camera: "Take a photo", upload: "Choose a file" }}
      />
      <ChecksControl
        at="capture.mime"
        label="File types"
        choices={fileTypes}
        standard={["image/jpeg", "image/png", "application/pdf"]}
      />
      <div class="fields">
        <NumberControl at="capture.maxBytes" label="Maximum file size in bytes" placeholder="5242880" />
        <NumberControl at="capture.maxEdge" label="Maximum longer edge in pixels" placeholder="2200" />
        <NumberControl at="capture.minEdge" label="Minimum shorter edge in pixels" placeholder="900" />
      </div>
    </Group>
    <Group title="Checks">
      <ChoiceControl
        at="captcha.required"
        label="Captcha required"
        choices={yesOrNo("If there is a captcha step")}
      />
      <NumberControl
        at="captcha.minScore"
        label="Minimum captcha score"
        hint="From 0 to 1. The built-in captcha scores 0.7."
        placeholder="None"
      />
      <SwitchControl
        at="dedup.enabled"
        label="Look for earlier sessions with the same document or person"
        standard
      />
      <div class="fields">
        <ChoiceControl
          at="dedup.strategy"
          label="Compare"
          choices={{ document: "The document", person: "The person" }}
        />
        <ChoiceControl
          at="dedup.onMatch"
          label="If one is found"
          choices={{
            review: "Mark the session for review",
            silent: "Only record it",
            warn: "Warn",
            block: "End the session"
          }}
        />
        <TextControl
          at="dedup.scope"
          label="Scope"
          hint="Any random text. Instances with different scopes are never compared with each other."
          code
        />
      </div>
      <SwitchControl at="handoff.enabled" label="Users can continue on a phone" standard />
    </Group>
    <Group title="Decisions">
      <SwitchControl
        at="checks.photos"
        label="Check the photos of completed sessions"
        hint="doorlock reads machine-readable zones and barcodes, compares them with what the user typed, and counts the faces in selfies."
        standard
      />
      <SwitchControl
        at="checks.similarity"
        label="Compare the portrait on the document with the selfie"
        hint="Works only if the operator of this service provides a network for it. The score is not calibrated. Faces are then biometric data."
      />
      <SwitchControl
        at="checks.sameBrowser"
        label="Count other sessions from the same browser"
        hint="The hosted page keeps a random number in the browser for 30 days. Tell your end users; you may need their consent."
      />
      <TextControl
        at="checks.timeZone"
        label="Time zone for these checks"
        hint="The day in this time zone decides whether a document has expired and how old a person is."
        placeholder="UTC"
      />
      <ChoiceControl
        at="review.mode"
        label="After the end user has finished"
        hint="With manual review, completed sessions wait on the page Reviews until somebody decides."
        choices={{ none: "No review", manual: "Manual review" }}
      />
      <SwitchControl
        at="review.fourEyes"
        label="Two people decide"
        hint="The first decision is a proposal, which another person has to confirm."
      />
      <Items
        at="review.reasons"
        one="reason"
        title="Reasons to decline or to ask again"
        empty="None listed: reviewers choose from common reasons, such as a blurred photo."
        make={(code) => ({ code, text: "" })}
        nameKey="code"
      >
        <TextControl at="code" label="Code" hint="Identifies the reason in the API." code />
        <TextControl at="text" label="Text" hint="What reviewers see." />
      </Items>
    </Group>
    <Group title="Retention">
      <p class="hint">If you leave a field empty, the default of this doorlock installation applies.</p>
      <div class="fields">
        <NumberControl
          at="retention.finishedDays"
          label="Days until the data of a finished session is destroyed"
          hint="Counted from the end of the session."
        />
        <NumberControl
          at="retention.unfinishedDays"
          label="Days until the data of an unfinished session is destroyed"
          hint="Counted from the expiry of the session."
        />
        <NumberControl
          at="retention.filesDays"
          label="Days until photos and files are deleted"
          hint="Counted from the end or the expiry of the session."
        />
      </div>
    </Group>
    <Group title="After the verification">
      <TextControl at="redirect.successUrl" label="Redirect after completion" type="url" />
      <TextControl at="redirect.failureUrl" label="Redirect after failure" type="url" />
      <ListControl
        at="redirect.allowedHosts"
        label="Hosts for automatic redirects"
        hint="One per line."
        placeholder="shop.example.com"
        lines
      />
      <NumberControl
        at="redirect.autoDelayMs"
        label="Delay before a redirect in milliseconds"
        placeholder="3000"
      />
      <SwitchControl at="redirect.appendStatus" label="Add the session’s id and status to the address" />
    </Group>
    <Group title="Embedding">
      <ListControl
        at="embed.allowedOrigins"
        label="Origins that may embed the page"
        hint="One per line, without a path."
        placeholder="https://shop.example.com"
        lines
      />
    </Group>
  </>
)
