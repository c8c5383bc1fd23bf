/** Which slugs pretend to be somebody: a known company, or whoever runs the service. */

/** Companies whose name in an address would be believed, and this product. */
const brands = [
  ...["doorlock", "stripe", "paypal", "visa", "mastercard", "amex", "americanexpress", "klarna", "adyen"],
  ...["revolut", "coinbase", "binance", "metamask", "kraken", "westernunion", "moneygram", "venmo", "alipay"],
  ...[
    "google",
    "gmail",
    "youtube",
    "android",
    "apple",
    "icloud",
    "microsoft",
    "azure",
    "office365",
    "github"
  ],
  ...["gitlab", "bitbucket", "amazon", "aws", "facebook", "instagram", "whatsapp", "twitter", "tiktok"],
  ...[
    "linkedin",
    "telegram",
    "netflix",
    "spotify",
    "dropbox",
    "openai",
    "chatgpt",
    "anthropic",
    "salesforce"
  ],
  ...["shopify", "adobe", "alibaba", "ebay", "twilio", "sendgrid", "okta", "auth0", "cloudflare", "docusign"],
  ...["onfido", "jumio", "veriff", "sumsub", "experian", "equifax", "transunion", "interpol", "europol"]
]

/** Parts that whoever runs the service plays. Others may have them beside a name of their own: `acme-support`. */
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

/**
 * What a slug looks like: the same for two that a reader takes for each other. Without hyphens, with letters in place of digits
 * that resemble them. No two digits become the same letter, so that numbered names stay apart.
 */
export const lookOf = (slug: string): string =>
  slug
    .replaceAll("-", "")
    .replaceAll(/[01234579i8]/g, (character) => letterOf[character] ?? character)
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")

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
 * like brands or roles as a whole (`str1pe`, `admin-2`, `supportteam`) or like a brand in some of their parts, with roles beside
 * it or not (`stripe-anything`, `my-stripesupport`).
 */
export const reservedSlugs = ({ allowed, reserved }: SlugRules): ((slug: string) => boolean) => {
  const roleLooks = roles.map(lookOf)
  const looks = [...[...brands, ...reserved].map(lookOf), ...roleLooks]
  const isMadeOf = (known: ReadonlyArray<string>, text: string) =>
    [text, withoutNumber(text)].some((form) => form !== "" && consistsOf(known, lookOf(form)))
  return (slug) =>
    !allowed.includes(slug) &&
    (/(?:^|-)xn--/.test(slug) ||
      isMadeOf(looks, slug.replaceAll("-", "")) ||
      runsOf(slug).some((run) => isMadeOf(looks, run) && !isMadeOf(roleLooks, run)))
}
