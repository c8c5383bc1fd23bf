/** Which slugs pretend to be somebody: a known company, or whoever runs the service. */

/** Names of companies that are no common words. As a part of a slug they are believed: `stripe-support`. */
const brands = [
  ...["doorlock", "stripe", "paypal", "mastercard", "amex", "americanexpress", "klarna", "adyen"],
  ...["revolut", "coinbase", "binance", "metamask", "westernunion", "moneygram", "venmo", "alipay"],
  ...["google", "gmail", "youtube", "icloud", "microsoft", "office365", "github", "gitlab", "bitbucket"],
  ...["aws", "facebook", "instagram", "whatsapp", "twitter", "tiktok", "linkedin", "netflix", "spotify"],
  ...["dropbox", "openai", "chatgpt", "anthropic", "salesforce", "shopify", "ebay", "twilio", "sendgrid"],
  ...["okta", "auth0", "cloudflare", "docusign", "onfido", "jumio", "veriff", "sumsub", "experian"],
  ...["equifax", "transunion", "interpol", "europol"]
]

/** Names of companies that are common words, or in the names of many others. They are refused alone: `apple-tree` is somebody else. */
const commonWords = [
  ...["apple", "azure", "amazon", "android", "adobe", "alibaba", "kraken", "telegram", "visa"]
]

/** Parts that whoever runs the service plays. Others may have them beside other words: `acme-support`, `health-api`. */
const roles = [
  ...[
    "admin",
    "administrator",
    "root",
    "superuser",
    "sysadmin",
    "system",
    "operator",
    "owner",
    "staff",
    "team"
  ],
  ...["official", "support", "help", "helpdesk", "contact", "security", "secure", "safety", "abuse", "trust"],
  ...["login", "signin", "signup", "logout", "auth", "oauth", "sso", "account", "accounts", "password"],
  ...["verify", "verification", "billing", "payment", "payments", "legal", "privacy", "terms", "compliance"],
  ...["api", "apis", "gateway", "developer", "developers", "docs", "dashboard", "console", "marketplace"],
  ...["status", "health", "metrics", "www", "moderator", "webmaster", "postmaster", "hostmaster", "noreply"],
  ...["localhost", "internal", "null", "undefined"]
]

/** What is written close to a brand's name by who pretends to be it. */
const affixes = [
  ...[
    "get",
    "use",
    "try",
    "my",
    "the",
    "go",
    "hq",
    "inc",
    "ltd",
    "llc",
    "pay",
    "app",
    "io",
    "ai",
    "eu",
    "us",
    "uk",
    "id"
  ],
  ...["cloud", "online", "official", "support", "api", "apis", "dev", "team", "help", "login", "secure", "s"]
]

/** Shorter names are too often a part of words. */
const leastGlued = 6

/** Letters that look like another, which is told only beside a reserved word: `mail` and `mall` are different words. */
const similar: ReadonlyArray<readonly [written: string, look: string]> = [
  ["rn", "m"],
  ["vv", "w"]
]

const letterOf: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  "2": "z",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g"
}

/**
 * What a slug looks like: the same for two that a reader takes for each other. Without hyphens, with letters in place of digits
 * that resemble them. No two digits become the same letter, so that numbered names stay apart.
 */
export const lookOf = (slug: string): string =>
  slug.replaceAll("-", "").replaceAll(/[012345798]/g, (character) => letterOf[character] ?? character)

/** What a slug looks like at a glance: the same for more, some of which are different words. */
const glanceOf = (text: string): string =>
  similar
    .reduce((look, [written, letter]) => look.replaceAll(written, letter), lookOf(text))
    .replaceAll("i", "l")
    .replaceAll(/(.)\1+/g, "$1")

/** Whether the text is one of the words, or several without anything between them. */
const consistsOf = (words: ReadonlyArray<string>, text: string): boolean => {
  const reached = [true, ...Array<boolean>(text.length).fill(false)]
  for (let at = 0; at < text.length; at++) {
    if (reached[at]) for (const word of words) if (text.startsWith(word, at)) reached[at + word.length] = true
  }
  return reached[text.length] === true
}

const withoutNumber = (text: string): string => text.replaceAll(/^\d+|\d+$/g, "")

interface SlugRules {
  /** Refused as brands are. */
  readonly reserved: ReadonlyArray<string>
  /** Taken, whatever they look like. */
  readonly allowed: ReadonlyArray<string>
}

/** Every run of parts that stand beside each other, joined: of `a-b-c` also `ab`, `bc` and `abc`. */
const runsOf = (slug: string): ReadonlyArray<string> => {
  const parts = slug.split("-").filter((part) => part !== "")
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_, length) => parts.slice(from, from + length + 1).join(""))
  )
}

/**
 * Tells the slugs that nobody may have: names in punycode, which browsers show in letters of other scripts, and those that look
 * like reserved words as a whole (`str1pe`, `admin-2`) or like a brand in some of their parts, with affixes at it or
 * not (`stripe-anything`, `getstripe`, `my-stripesupport`).
 */
export const reservedSlugs = ({ allowed, reserved }: SlugRules): ((slug: string) => boolean) => {
  const believed = [...brands, ...reserved].map(glanceOf)
  const alone = new Set([...believed, ...[...commonWords, ...roles].map(glanceOf)])
  const roleGlances = roles.map(glanceOf)
  const glued = [...brands, ...reserved.map((slug) => slug.replaceAll("-", ""))]
    .filter((brand) => brand.length >= leastGlued)
    .map(glanceOf)
  const around = affixes.map(glanceOf)
  const forms = (text: string) => [text, withoutNumber(text)].filter((form) => form !== "").map(glanceOf)
  const isAlone = (text: string) => forms(text).some((form) => alone.has(form))
  const isBelieved = (text: string) =>
    forms(text).some(
      (form) =>
        believed.includes(form) ||
        glued.some((brand) => {
          const at = form.indexOf(brand)
          return (
            at !== -1 &&
            [form.slice(0, at), form.slice(at + brand.length)].every((rest) =>
              consistsOf([...around, ...roleGlances], rest)
            )
          )
        })
    )
  return (slug) =>
    !allowed.includes(slug) &&
    (/(?:^|-)xn--/.test(slug) || isAlone(slug.replaceAll("-", "")) || runsOf(slug).some(isBelieved))
}
