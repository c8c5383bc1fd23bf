/** The config of an instance as a form. Settings without a control stay as they are, and can be changed as text. */
import { languages } from "../../../../kyc/i18n/languages.ts"
import { ChecksControl, ChoiceControl, SwitchControl } from "./choices.tsx"
import { ListControl, LocalTextControl, languageName, NumberControl, TextControl } from "./controls.tsx"
import { ColourControl, ImageControl } from "./look.tsx"
import { Group } from "./problems.tsx"

const locales = Object.keys(languages)

const yesOrNo = [
  { value: true, label: "Yes" },
  { value: false, label: "No" }
]

export const ConfigForm = () => (
  <>
    <Group title="Look" open>
      <LocalTextControl path={["title"]} label="Title" placeholder="Verify your identity" />
      <div class="fields">
        <ColourControl
          path={["theme", "primary"]}
          label="Colour"
          hint="Of buttons, and of what is selected."
          placeholder="#1f4fd8"
        />
        <ColourControl
          path={["theme", "onPrimary"]}
          label="Text on that colour"
          hint="By itself, what reads better."
          placeholder="#ffffff"
        />
        <NumberControl path={["theme", "radius"]} label="Radius of corners, in pixels" placeholder="8" />
        <ChoiceControl
          path={["theme", "mode"]}
          label="Light or dark"
          otherwise="As the reader's device"
          same="auto"
          choices={[
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" }
          ]}
        />
      </div>
      <ImageControl
        path={["theme", "logoUrl"]}
        label="Logo"
        hint="PNG, JPEG, WebP or SVG of at most 73 kB. It is carried along in the page."
      />
    </Group>
    <Group title="Languages">
      <ChecksControl
        path={["locales"]}
        label="Languages to choose from"
        choices={locales.map((tag) => ({ value: tag, label: languageName(tag) }))}
        otherwise={locales}
      />
      <ChoiceControl
        path={["defaultLocale"]}
        label="Where the browser asks for none of them"
        otherwise="English"
        same="en"
        choices={locales
          .filter((tag) => tag !== "en")
          .map((tag) => ({ value: tag, label: languageName(tag) }))}
      />
    </Group>
    <Group title="Who asks">
      <TextControl path={["legal", "company"]} label="Company" hint="As the consent names it." />
      <TextControl path={["legal", "privacyUrl"]} label="Address of the privacy notice" type="url" />
      <TextControl path={["legal", "termsUrl"]} label="Address of the terms" type="url" />
      <TextControl
        path={["legal", "consentVersion"]}
        label="Version of the consent's texts"
        hint="Kept with every consent given."
      />
    </Group>
    <Group title="Photos and files">
      <ChecksControl
        path={["capture", "sources"]}
        label="Ways to give an image"
        choices={[
          { value: "camera", label: "Take a photo" },
          { value: "upload", label: "Choose a file" }
        ]}
        otherwise={["camera", "upload"]}
      />
      <ChecksControl
        path={["capture", "mime"]}
        label="Types of file"
        choices={[
          { value: "image/jpeg", label: "JPEG" },
          { value: "image/png", label: "PNG" },
          { value: "image/webp", label: "WebP" },
          { value: "image/heic", label: "HEIC" },
          { value: "application/pdf", label: "PDF" }
        ]}
        otherwise={["image/jpeg", "image/png", "application/pdf"]}
      />
      <div class="fields">
        <NumberControl
          path={["capture", "maxBytes"]}
          label="Bytes of a file, at most"
          placeholder="5242880"
        />
        <NumberControl
          path={["capture", "maxEdge"]}
          label="Pixels of the longer edge, at most"
          placeholder="2200"
        />
        <NumberControl
          path={["capture", "minEdge"]}
          label="Pixels of the shorter edge, at least"
          placeholder="900"
        />
      </div>
    </Group>
    <Group title="Checks">
      <ChoiceControl
        path={["captcha", "required"]}
        label="Proof that no robot fills it in"
        otherwise="Where there is a captcha step"
        choices={yesOrNo}
      />
      <NumberControl
        path={["captcha", "minScore"]}
        label="Least score of it"
        hint="From 0 to 1. The built-in one scores 0.7."
        placeholder="None"
      />
      <SwitchControl
        path={["dedup", "enabled"]}
        label="Look for earlier sessions of the same document or person"
        otherwise
      />
      <div class="fields">
        <ChoiceControl
          path={["dedup", "strategy"]}
          label="By"
          otherwise="The document"
          same="document"
          choices={[{ value: "person", label: "The person" }]}
        />
        <ChoiceControl
          path={["dedup", "onMatch"]}
          label="When there is one"
          otherwise="Have it reviewed"
          same="review"
          choices={[
            { value: "silent", label: "Only record it" },
            { value: "warn", label: "Warn" },
            { value: "block", label: "End the session" }
          ]}
        />
        <TextControl
          path={["dedup", "scope"]}
          label="Scope"
          hint="Random text that keeps hashes apart from those of other scopes."
          code
        />
      </div>
      <SwitchControl path={["handoff", "enabled"]} label="A session may go over to a phone" otherwise />
    </Group>
    <Group title="Afterwards">
      <TextControl path={["redirect", "successUrl"]} label="Where to after completion" type="url" />
      <TextControl path={["redirect", "failureUrl"]} label="Where to after failure" type="url" />
      <ListControl
        path={["redirect", "allowedHosts"]}
        label="Hosts the page may go to by itself"
        hint="One on a line. To any other the reader must agree."
        placeholder="shop.example.com"
        lines
      />
      <NumberControl
        path={["redirect", "autoDelayMs"]}
        label="Milliseconds until it goes there"
        placeholder="3000"
      />
      <SwitchControl path={["redirect", "appendStatus"]} label="Add session and status to the address" />
    </Group>
    <Group title="In a frame">
      <ListControl
        path={["embed", "allowedOrigins"]}
        label="Origins whose pages may show it in a frame"
        hint="One on a line, without a path."
        placeholder="https://shop.example.com"
        lines
      />
    </Group>
  </>
)
