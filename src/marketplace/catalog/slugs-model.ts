/** Which slugs pretend to be somebody: a known company, or whoever runs the service. */

/** Names of companies that are no common words. As a part of a slug they are believed: `stripe-support`. */
const brands = [
  ...["doorlock", "stripe", "paypal", "mastercard", "amex", "americanexpress", "klarna", "adyen"],
  ...["revolut", "coinbase", "binance", "metamask", "westernunion", "moneygram", "venmo", "alipay"],
  ...["google", "gmail", "youtube", "icloud", "microsoft", "office365", "github", "gitlab", "bitbucket"],
  ...[
    "aws",
    "amazonaws",
    "facebook",
    "instagram",
    "whatsapp",
    "twitter",
    "tiktok",
    "linkedin",
    "netflix",
    "spotify"
  ],
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

/** Roles that speak for whoever runs the service: with other roles alone they are nobody else's. `login-security` may be a product. */
const authorities = [
  ...["admin", "administrator", "root", "superuser", "sysadmin", "operator", "owner", "staff", "team"],
  ...["official", "support", "help", "helpdesk", "moderator", "webmaster", "postmaster", "hostmaster"]
]

/** All words that nobody may have as a slug. */
export const builtInWords = [...brands, ...commonWords, ...roles]

/** Brands with which other words begin: `revolution`, `interpolate`, `twittering`. */
const beginnings = ["revolut", "interpol", "twitter"]

/** Letters behind a brand's name from which on they are a word of their own: `stripecheckout`, but not `striped`. */
const leastBehind = 3

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

/** Letters that look like another, which is told only beside a reserved word: `corner` and `comer` are different words. */
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
  "9": "g",
  i: "l"
}

/** What a 6 looks like, beside a reserved word: as what is stored it would make `acme-6` the same as `acme-8`, or `acme-9`. */
const lettersOfSix = ["g", "b"]

/**
 * What a slug looks like: the same for two that a reader takes for each other. Without hyphens, with letters in place of digits
 * that resemble them, and `i` the same as `l`, since a `1` is both. No two digits become the same letter, so that numbered names stay
 * apart. It is stored: with another rule, a migration has to make it anew.
 */
export const lookOf = (slug: string): string =>
  slug.replaceAll("-", "").replaceAll(/[012345798i]/g, (character) => letterOf[character] ?? character)

/** What a slug looks like at a glance: the same for more, some of which are different words. */
const glanceOf = (text: string): string =>
  similar
    .reduce((look, [written, letter]) => look.replaceAll(written, letter), lookOf(text))
    .replaceAll(/(.)\1+/g, "$1")

/** What a word or a part of a slug may be read as at a glance. */
const glancesOf = (text: string): ReadonlyArray<string> =>
  lettersOfSix.map((letter) => glanceOf(text.replaceAll("6", letter)))

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
 * like reserved words as a whole (`str1pe`, `admin-2`, `admins`), have nothing but roles of which one speaks for whoever runs the service
 * (`security-team`), or are like a brand in some of their parts, with affixes at it or not (`stripe-anything`, `getstripe`,
 * `my-stripesupport`), or with any word behind it (`stripecheckout`).
 */
export const reservedSlugs = ({ allowed, reserved }: SlugRules): ((slug: string) => boolean) => {
  const believed = [...brands, ...reserved].flatMap(glancesOf)
  const roleGlances = roles.flatMap((role) => [role, `${role}s`]).flatMap(glancesOf)
  const alone = new Set([...believed, ...commonWords.flatMap(glancesOf), ...roleGlances])
  const speaking = new Set(authorities.flatMap((role) => [role, `${role}s`]).flatMap(glancesOf))
  const glued = [...brands, ...reserved.map((slug) => slug.replaceAll("-", ""))]
    .filter((brand) => brand.length >= leastGlued)
    .flatMap(glancesOf)
  const begun = glued.filter((brand) => !beginnings.flatMap(glancesOf).includes(brand))
  const around = affixes.flatMap(glancesOf)
  const forms = (text: string) => [text, withoutNumber(text)].filter((form) => form !== "").flatMap(glancesOf)
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
  const beginsWithBrand = (part: string) =>
    forms(part).some((form) =>
      begun.some((brand) => form.startsWith(brand) && form.length >= brand.length + leastBehind)
    )
  const isOf = (words: ReadonlySet<string>) => (part: string) => forms(part).some((form) => words.has(form))
  const roleWords = new Set(roleGlances)
  const speaksForUs = (parts: ReadonlyArray<string>) =>
    parts.every(isOf(roleWords)) && parts.some(isOf(speaking))
  return (slug) => {
    if (allowed.includes(slug)) return false
    const parts = slug.split("-").filter((part) => withoutNumber(part) !== "")
    return (
      /(?:^|-)xn--/.test(slug) ||
      isAlone(slug.replaceAll("-", "")) ||
      speaksForUs(parts) ||
      parts.some(beginsWithBrand) ||
      runsOf(slug).some(isBelieved)
    )
  }
}
