/** What surrounds every screen: the partner's name, the language, the remaining time. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Mark } from "../../brand/drawn.tsx"
import { every, kycTimes } from "../../timing.ts"
import { useI18n } from "../i18n/i18n.ts"
import { isLocale, type Locale, languages } from "../i18n/languages.ts"
import { logoAddress } from "../instances/theme.ts"
import type { Session } from "../sessions/session.ts"

interface FrameProps {
  readonly title: string
  readonly session: Pick<Session, "config" | "test"> | undefined
  readonly locales: ReadonlyArray<Locale>
  readonly onLocale: (locale: Locale) => void
  readonly children: ComponentChildren
}

export const Frame = ({ children, locales, onLocale, session, title }: FrameProps) => {
  const { locale, t } = useI18n()
  const logo = logoAddress(session?.config.theme.logoUrl)
  return (
    <>
      <header class="bar">
        <p class="brand">
          {logo === undefined ? <Mark /> : <img class="logo" src={logo} alt="" />}
          <span>{title}</span>
        </p>
        <label class="language">
          <span class="visually-hidden">{t("language")}</span>
          <select
            value={locale}
            onChange={({ currentTarget }) => {
              if (isLocale(currentTarget.value)) onLocale(currentTarget.value)
            }}
          >
            {locales.map((code) => (
              <option key={code} value={code} lang={code}>
                {languages[code]}
              </option>
            ))}
          </select>
        </label>
      </header>
      {session?.test === true ? <aside class="test-mode">{t("testMode")}</aside> : null}
      <main>{children}</main>
    </>
  )
}

/** In seconds: the remaining time is visible from here on, and screen readers announce it at these marks. */
const shownFrom = 600
const saidAt = [300, 60] as const

interface CountdownProps {
  /** Milliseconds since 1970. */
  readonly until: number
  readonly onOver: () => void
}

export const Countdown = ({ onOver, until }: CountdownProps) => {
  const { t, time } = useI18n()
  const secondsLeft = () => Math.ceil((until - Date.now()) / 1000)
  const [left, setLeft] = useState(secondsLeft)

  useEffect(() => {
    return every(kycTimes.countdown, () => setLeft(secondsLeft())).cancel
  }, [until])
  useEffect(() => {
    if (left <= 0) onOver()
  }, [left <= 0])

  // Once per mark: screen readers announce a live region when its text changes.
  const mark = saidAt.findLast((seconds) => left <= seconds)
  return (
    <div class="countdown">
      {left > shownFrom || left <= 0 ? null : <p>{t("timeLeft", { time: time(left) })}</p>}
      <p class="visually-hidden" role="status">
        {mark === undefined || left <= 0 ? "" : t("timeSoon", { time: time(mark) })}
      </p>
    </div>
  )
}

interface ProgressProps {
  /** Counted from 1. */
  readonly step: number
  readonly total: number
}

export const Progress = ({ step, total }: ProgressProps) => {
  const { t } = useI18n()
  return (
    <div class="progress">
      <p>{t("stepOf", { step, total })}</p>
      <ol aria-hidden="true">
        {Array.from({ length: total }, (_, index) => (
          <li key={index} class={index < step ? "reached" : ""} />
        ))}
      </ol>
    </div>
  )
}
