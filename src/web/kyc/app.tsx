/** The page: loads the session and shows it in the end user's language, or shows why it cannot. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { Json } from "../json.ts"
import type { Offer, SessionApi } from "./api.ts"
import { documentNumbers } from "./dedup/document-numbers.ts"
import { type Embedder, EmbedderContext } from "./embedding/embedder.ts"
import { Claim } from "./handoffs/claim.tsx"
import {
  applyLocale,
  chooseLocale,
  I18nContext,
  i18n,
  inEnglish,
  loadMessages,
  offered
} from "./i18n/i18n.ts"
import type { Locale } from "./i18n/languages.ts"
import { inLanguage } from "./instances/config.ts"
import { applyTheme } from "./instances/theme.ts"
import type { Failure } from "./request.ts"
import { ErrorScreen, FailureScreen } from "./screens/error-screen.tsx"
import { Frame } from "./screens/layout.tsx"
import { Loading } from "./screens/parts.tsx"
import { createFlow } from "./sessions/create-flow.ts"
import { Done, Ending } from "./sessions/ending.tsx"
import { FlowScreen } from "./sessions/flow-screen.tsx"
import { readSession, type Session } from "./sessions/session.ts"
import { keepToken, type Opened, tab } from "./sessions/token.ts"

const storedLanguage = "kyc:language"

const localeFor = (opened: Opened, session: Pick<Session, "config"> | undefined): Locale =>
  chooseLocale(
    [opened.language, tab.read(storedLanguage), ...navigator.languages, session?.config.defaultLocale],
    offered(session?.config.locales ?? [])
  )

interface AppProps {
  readonly opened: Opened
  readonly embedder: Embedder
  /** The routes of the session with this id and token. */
  readonly connect: (id: string, token: string) => SessionApi
}

export const App = ({ connect, embedder, opened }: AppProps) => {
  const [screen, setScreen] = useState(<Loading />)
  const [session, setSession] = useState<Pick<Session, "config" | "test">>()
  const [token, setToken] = useState(opened.token)
  const carried = useRef<Json>({})
  const [text, setText] = useState(inEnglish)
  const locale = useRef<Locale>(localeFor(opened, undefined))
  const api = useMemo(
    () => (token === undefined ? undefined : connect(opened.sessionId, token)),
    [opened, token]
  )

  const speak = async (wanted: Locale) => {
    locale.current = wanted
    const messages = await loadMessages(wanted)
    // The reader has chosen another language in the meantime.
    if (locale.current !== wanted) return
    // A German voice would read English texts as German.
    const spoken = messages === undefined ? "en" : wanted
    applyLocale(spoken)
    setText(messages === undefined ? inEnglish : i18n(wanted, messages))
  }

  const load = async () => {
    if (opened.sessionId === "") {
      await speak(locale.current)
      return setScreen(<ErrorScreen kind="unknown" />)
    }
    if (api === undefined) {
      await speak(locale.current)
      // Another device offers its session to this one.
      if (opened.handoff !== undefined) {
        return setScreen(
          <Claim
            sessionId={opened.sessionId}
            secret={opened.handoff}
            onOffer={offer}
            onConfirmed={takeOver}
          />
        )
      }
      return setScreen(opened.done ? <Done /> : <ErrorScreen kind="open" />)
    }
    const found = await api.read()
    if (!found.ok) {
      await speak(locale.current)
      return opened.done ? setScreen(<Done />) : fail(found.failure)
    }
    const read = readSession(opened.sessionId, found.value.session, found.value.ahead)
    applyTheme(read.config.theme)
    setSession(read)
    await speak(localeFor(opened, read))
    if (!read.finished) {
      const flow = createFlow(read, api, embedder, () => locale.current, carried.current)
      carried.current = {}
      return setScreen(<FlowScreen flow={flow} onComeBack={comeBack} />)
    }
    documentNumbers(read).forget()
    const ending = await api.finish("completed", {})
    if (!ending.ok) return fail(ending.failure)
    setScreen(
      <Ending
        ending={ending.value}
        sessionId={opened.sessionId}
        redirect={read.config.redirect}
        fresh={false}
        calledOff={read.calledOff}
        receipt={api.receipt}
      />
    )
  }

  useEffect(() => void load(), [api])

  const reload = () => {
    setScreen(<Loading />)
    void load()
  }

  const fail = (failure: Failure) => setScreen(<FailureScreen failure={failure} onRetry={load} />)

  const comeBack = (carry: Json) => {
    carried.current = carry
    reload()
  }

  const offer = ({ config, test }: Offer) => {
    applyTheme(config.theme)
    setSession({ config, test })
    void speak(localeFor(opened, { config }))
  }

  const takeOver = (given: string, carry: Json) => {
    keepToken(opened.sessionId, given)
    carried.current = carry
    setScreen(<Loading />)
    setToken(given)
  }

  const title =
    inLanguage(session?.config.title, [text.locale, session?.config.defaultLocale ?? "en"]) ?? text.t("title")
  useEffect(() => {
    document.title = title
  }, [title])

  return (
    <EmbedderContext.Provider value={embedder}>
      <I18nContext.Provider value={text}>
        <Frame
          title={title}
          session={session}
          locales={offered(session?.config.locales ?? [])}
          onLocale={(chosen) => {
            tab.write(storedLanguage, chosen)
            void speak(chosen)
          }}
        >
          {screen}
        </Frame>
      </I18nContext.Provider>
    </EmbedderContext.Provider>
  )
}
