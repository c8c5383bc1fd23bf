import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Receipt } from "../../../kyc/receipts/receipt-model.ts"
import { Mark } from "../../brand/drawn.tsx"
import { Alert, Button, Field } from "../../ui/parts.tsx"
import {
  applyLocale,
  chooseLocale,
  I18nContext,
  i18n,
  inEnglish,
  loadMessages,
  offered,
  useI18n
} from "../i18n/i18n.ts"
import { Waiting } from "../screens/parts.tsx"
import { type Checked, check, unchecked } from "./checking.ts"

const Part = ({ children, title }: { readonly children: ComponentChildren; readonly title: string }) => (
  <section class="receipt-part">
    <h2>{title}</h2>
    {children}
  </section>
)

const Shown = ({ receipt }: { readonly receipt: Receipt }) => {
  const { known, locale, t } = useI18n()
  const { asked_by, consents, files, handed_over, kept_until, session } = receipt
  const endings = {
    completed: t("receiptCompleted"),
    failed: t("receiptFailed"),
    cancelled: t("receiptCancelled")
  }
  const { company, privacy_notice } = asked_by
  // As in the reader's country, which the language alone does not say.
  const tag = navigator.languages.find((one) => one.split("-")[0] === locale) ?? locale
  const dates = new Intl.DateTimeFormat(tag, { dateStyle: "long", timeStyle: "short" })
  /** The end user's browser said when they agreed: if that is no date, it is shown as it is. */
  const date = (at: string) => {
    const millis = Date.parse(at)
    return Number.isNaN(millis) ? at : dates.format(millis)
  }
  const nameOf = (field: string) =>
    known(`field.${field}`) ??
    {
      type: t("documentType"),
      country: t("documentCountry"),
      number: t("documentNumber"),
      expiry: t("documentExpiry")
    }[field] ??
    field
  const kinds = {
    form: t("formTitle"),
    document: t("documentTitle"),
    selfie: t("selfieTitle"),
    upload: t("uploadTitle"),
    other: t("receiptOther")
  }
  return (
    <>
      <Part title={t("receiptWho")}>
        <p>
          <strong>{company}</strong>
        </p>
        {privacy_notice === null ? null : (
          <p>
            <a href={privacy_notice} target="_blank" rel="noreferrer">
              {t("privacy")}
            </a>
          </p>
        )}
        <p>
          {t("receiptNumber")}: <code>{session.id}</code>
        </p>
      </Part>
      <Part title={t("receiptStatus")}>
        {session.status === "created" || session.status === "running" ? null : (
          <p>{endings[session.status]}</p>
        )}
        {session.completed_at === null ? null : (
          <p class="hint">{t("receiptFinished", { date: date(session.completed_at) })}</p>
        )}
      </Part>
      <Part title={t("receiptConsents")}>
        {consents.length === 0 ? <p>{t("receiptNoConsents")}</p> : null}
        {consents.map(({ accepted_at, id, language, text, version }) => (
          <div key={`${id} ${accepted_at}`}>
            {text === null ? (
              <p>{t("receiptUnknownWords")}</p>
            ) : (
              <blockquote lang={language ?? undefined} dir="auto">
                {text}
              </blockquote>
            )}
            {accepted_at === null ? null : (
              <p class="hint">{t("receiptAgreed", { date: date(accepted_at) })}</p>
            )}
            {version === null ? null : <p class="hint">{t("receiptVersion", { version })}</p>}
          </div>
        ))}
      </Part>
      <Part title={t("receiptData")}>
        {handed_over.length === 0 && files === 0 ? <p>{t("receiptNothing")}</p> : null}
        <ul>
          {handed_over.map(({ fields, kind }) => {
            const named = fields.filter((field) => field !== "files").map(nameOf)
            return (
              <li key={`${kind} ${fields.join()}`}>
                {kinds[kind]}
                {named.length === 0 ? "" : `: ${named.join(", ")}`}
              </li>
            )
          })}
          {files === 0 ? null : <li>{t("receiptFiles", { count: files })}</li>}
        </ul>
        <p class="hint">{t("receiptNone")}</p>
      </Part>
      <Part title={t("receiptKept")}>
        {kept_until.data === null ? (
          <p>{t("receiptKeptOpen", { company })}</p>
        ) : (
          <p>{t("receiptKeptUntil", { date: date(kept_until.data) })}</p>
        )}
        {kept_until.files === null || kept_until.files === kept_until.data ? null : (
          <p>{t("receiptKeptFiles", { date: date(kept_until.files) })}</p>
        )}
      </Part>
      <Part title={t("receiptErase")}>
        <p>{t("receiptEraseText", { company })}</p>
      </Part>
    </>
  )
}

const Outcome = ({ checked }: { readonly checked: Checked }) => {
  const { t } = useI18n()
  const verdict = useRef<HTMLDivElement>(null)
  // The field with the file is at the end of a long page, and the verdict at its beginning.
  useEffect(() => verdict.current?.focus(), [checked])
  if (checked.kind === "unchecked") {
    return (
      <Alert tone="warning" boxRef={verdict}>
        {t("receiptUnchecked")}
      </Alert>
    )
  }
  if (checked.kind === "invalid") return <Alert boxRef={verdict}>{t("receiptInvalid")}</Alert>
  return (
    <>
      <Alert tone="good" boxRef={verdict}>
        {t("receiptValid")}
      </Alert>
      {checked.receipt.session.mode === "dev" ? <Alert tone="warning">{t("receiptTest")}</Alert> : null}
      <article class="receipt-paper">
        <Shown receipt={checked.receipt} />
      </article>
      <p class="only-on-screen receipt-print">
        <Button onClick={() => print()}>{t("receiptPrint")}</Button>
      </p>
    </>
  )
}

const Receipts = () => {
  const { t } = useI18n()
  const [checked, setChecked] = useState<Checked | "checking">()
  const latest = useRef<Promise<string>>(undefined)
  const show = async (text: Promise<string>) => {
    latest.current = text
    setChecked("checking")
    const outcome = await text.then(check, () => unchecked)
    // Another receipt may have been chosen in the meantime.
    if (latest.current === text) setChecked(outcome)
  }
  const fromAddress = () => {
    const text = location.hash.slice(1)
    if (text !== "") void show(Promise.resolve(text))
  }
  useEffect(() => {
    fromAddress()
    addEventListener("hashchange", fromAddress)
    return () => removeEventListener("hashchange", fromAddress)
  }, [])
  return (
    <main class="receipt">
      <h1>{t("receiptTitle")}</h1>
      <p class="intro">{t("receiptAbout")}</p>
      {checked === undefined ? null : checked === "checking" ? (
        <Waiting>{t("receiptChecking")}</Waiting>
      ) : (
        <Outcome checked={checked} />
      )}
      <div class="only-on-screen">
        <Field id="receipt-file" label={t("receiptFile")} hint={t("receiptCheck")}>
          <input
            id="receipt-file"
            type="file"
            aria-describedby="receipt-file-hint"
            onChange={({ currentTarget: { files } }) => {
              const [file] = files ?? []
              if (file !== undefined) void show(file.text())
            }}
          />
        </Field>
      </div>
    </main>
  )
}

/** In the reader's language, as far as the browser says it. */
export const ReceiptPage = () => {
  const [text, setText] = useState(inEnglish)
  useEffect(() => {
    const locale = chooseLocale(navigator.languages, offered([]))
    void loadMessages(locale).then((messages) => {
      if (messages === undefined) return
      applyLocale(locale)
      setText(i18n(locale, messages))
    })
  }, [])
  const title = text.t("receiptTitle")
  useEffect(() => {
    document.title = title
  }, [title])
  return (
    <I18nContext.Provider value={text}>
      <header class="bar">
        <p class="brand">
          <Mark /> doorlock
        </p>
      </header>
      <Receipts />
    </I18nContext.Provider>
  )
}
