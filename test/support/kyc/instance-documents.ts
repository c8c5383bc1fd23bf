/**
 * Valid and invalid configs and workflows as JSON, with the expected message and whether JSON Schema can
 * express the rule.
 */

type Kind = "config" | "workflow"

/** An accepted document. */
type Good = readonly [kind: Kind, json: string]

/** A refused document and the error message, which begins with its kind. */
type Bad = readonly [json: string, sentence: string]

// Workflows around the part under test.
const step = (fields: string) => `{"steps":[{"id":"a","type":"form"},${fields}]}`
const field = (fields: string) => step(`{"id":"b","type":"form","fields":[{"id":"x",${fields}}]}`)
const rule = (rule: string) =>
  `{"steps":[{"id":"a","type":"form","fields":[{"id":"x","type":"date"}]},{"id":"d","type":"document"}],"rules":[${rule}]}`
const when = (condition: string) => rule(`{"after":"a","if":{${condition}},"then":{}}`)
const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index))

export const kindOf = (sentence: string): Kind => (sentence.startsWith("config") ? "config" : "workflow")

export const good: ReadonlyArray<Good> = [
  ["config", "{}"],
  ["workflow", "{}"],
  ["config", '{"anything":[1,{"else":null}],"theme":{"font":7}}'],
  ["config", '{"title":{"pt-BR":"Olá","zh-Hant-TW":"您好"}}'],
  ["config", '{"theme":{"logoUrl":"data:image/png;base64,iVBORw0KGgo="}}'],
  ["config", '{"captcha":{"siteKey":null,"minScore":null}}'],
  ["config", '{"captcha":{"provider":"another","minScore":1}}'],
  [
    "config",
    '{"embed":{"allowedOrigins":["https://example.com","http://localhost:5173","https://10.0.0.1:8443"]}}'
  ],
  [
    "config",
    '{"redirect":{"allowedHosts":["shop.example.com","localhost"],"successUrl":"HTTPS://Example.com/a?b#c"}}'
  ],
  ["config", `{"title":{"en":"${"😀".repeat(4000)}"}}`],
  [
    "config",
    '{"checks":{"photos":true,"similarity":true,"sameBrowser":true,"timeZone":"America/Argentina/Buenos_Aires"}}'
  ],
  [
    "config",
    '{"review":{"mode":"manual","fourEyes":true,"reasons":[{"code":"BLURRED","text":"Blurred"},{"code":"too_old-1","text":"Old"}]}}'
  ],
  ["workflow", step('{"id":"constructor","type":"constructor"}')],
  ["workflow", field('"type":"text","min":null,"max":null,"label":{"en":"X"},"unknown":true')],
  ["workflow", field('"type":"select","options":[{"value":"1"},{"value":"2","label":{"en":"Two"}}]')],
  ["workflow", when('"path":"a.x","op":"lt","value":"2000-01-01"')],
  ["workflow", when('"path":"d.country","op":"nin","value":["EST",1,true]')],
  ["workflow", `{"steps":[${many(50, (index) => `{"id":"s${index}","type":"form"}`)}]}`]
]

/** Refused for a rule that JSON Schema cannot express: how parts of a document fit together. */
export const badSense: ReadonlyArray<Bad> = [
  ['{"defaultLocale":"et","locales":["en","de"]}', "config.defaultLocale must be one of config.locales"],
  [
    '{"title":{"et":"Tere"},"locales":["et","de"]}',
    "config.title must have a text in en, or in every language in use"
  ],
  [
    '{"theme":{"primary":"#ffff00","onPrimary":"#ffffff"}}',
    "config.theme.onPrimary must have a contrast of at least 4.5 to config.theme.primary"
  ],
  [
    '{"captcha":{"minScore":0.71}}',
    "config.captcha.minScore must be at most 0.7, the score of the built-in captcha, unless config.captcha.provider names another"
  ],
  [
    '{"capture":{"mime":["image/webp","image/heic","application/pdf"]}}',
    "config.capture.mime must have image/jpeg or image/png, which photos are sent as"
  ],
  [
    '{"embed":{"allowedOrigins":["https://example.com:443"]}}',
    "config.embed.allowedOrigins[0] must be an origin like https://example.com"
  ],
  [
    '{"redirect":{"successUrl":"https://a.example:99999"}}',
    "config.redirect.successUrl must be an http or https URL"
  ],
  [
    '{"checks":{"timeZone":"Europe/Nowhere"}}',
    "config.checks.timeZone must be a time zone like Europe/Berlin"
  ],
  [
    '{"review":{"reasons":[{"code":"a","text":"A"},{"code":"b","text":"B"},{"code":"a","text":"C"}]}}',
    "config.review.reasons[2].code must be unique"
  ],
  [step('{"id":"a","type":"later"}'), "workflow.steps[1].id must be unique"],
  [
    field('"type":"select","options":[{"value":"1"},{"value":"1"}]'),
    "workflow.steps[1].fields[0].options[1].value must be unique"
  ],
  [
    '{"steps":[{"id":"a","type":"form","title":{"en":"A","et":"B"}},{"id":"b","type":"later","title":{"et":"C"}}]}',
    "workflow.steps[1].title must have a text in en, or in every language in use"
  ],
  [
    rule('{"after":"z","if":{"path":"a.x","op":"exists"},"then":{}}'),
    "workflow.rules[0].after must be the id of a step"
  ],
  [when('"path":"z.x","op":"exists"'), "workflow.rules[0].if.path must lead to a step and a field of it"],
  [
    rule('{"after":"a","if":{"path":"a.x","op":"exists"},"then":{"skip":["d","z"]}}'),
    "workflow.rules[0].then.skip[1] must be the id of a step"
  ]
]

/** Refused because of their shape, also by any validator of the JSON Schema. */
export const badShape: ReadonlyArray<Bad> = [
  ['{"v":2}', "config.v must be 1"],
  ['{"title":"Hello"}', "config.title must be an object of 1 to 20 texts by language tag, like en or pt-BR"],
  [
    '{"title":{"en":"A","english!":"B"}}',
    "config.title must be an object of 1 to 20 texts by language tag, like en or pt-BR"
  ],
  ['{"title":{"en":""}}', "config.title.en must be a string of 1 to 4000 characters"],
  [`{"locales":[${many(21, () => '"en"')}]}`, "config.locales must be an array of at most 20 language tags"],
  ['{"locales":["en","en_US"]}', "config.locales[1] must be a language tag like en or pt-BR"],
  ['{"legal":null}', "config.legal must be an object"],
  ['{"theme":{"primary":"#1f5eff;"}}', "config.theme.primary must be a colour like #1f5eff"],
  ['{"theme":{"mode":"neon"}}', "config.theme.mode must be one of auto, light, dark"],
  [
    '{"theme":{"logoUrl":"https://acme.test/logo.png"}}',
    "config.theme.logoUrl must be an image as a data: URL in base64, at most 100000 characters"
  ],
  ['{"captcha":{"minScore":1.5}}', "config.captcha.minScore must be a number from 0 to 1"],
  [
    '{"capture":{"mime":["image/png","text/html"]}}',
    "config.capture.mime[1] must be one of image/jpeg, image/png, image/webp, image/heic, application/pdf"
  ],
  [
    '{"embed":{"allowedOrigins":["https://example.com/"]}}',
    "config.embed.allowedOrigins[0] must be an origin like https://example.com"
  ],
  [
    '{"embed":{"allowedOrigins":["https://a.example","*"]}}',
    "config.embed.allowedOrigins[1] must be an origin like https://example.com"
  ],
  // These values go into a header unchanged, so no policy parser may read one as several origins.
  ...[
    "https://*.example.com",
    "https://A.example",
    "https://user@a.example",
    "https://a.example; script-src *",
    "https://a.example https://b.example",
    "https://a.example,https://b.example",
    "https://a.example\\nx: y",
    "https://a.example\\n",
    "'self'",
    "null",
    "https:",
    "ws://a.example",
    "data:text/html,x"
  ].map(
    (origin): Bad => [
      `{"embed":{"allowedOrigins":["${origin}"]}}`,
      "config.embed.allowedOrigins[0] must be an origin like https://example.com"
    ]
  ),
  [
    '{"redirect":{"allowedHosts":["https://a.example"]}}',
    "config.redirect.allowedHosts[0] must be a host name like shop.example.com"
  ],
  [
    '{"redirect":{"failureUrl":"https://user:pw@a.example"}}',
    "config.redirect.failureUrl must be an http or https URL"
  ],
  [
    '{"redirect":{"successUrl":"javascript:alert(1)"}}',
    "config.redirect.successUrl must be an http or https URL"
  ],
  ['{"dedup":{"onMatch":"shout"}}', "config.dedup.onMatch must be one of silent, warn, review, block"],
  ['{"capture":{"sources":["scanner"]}}', "config.capture.sources[0] must be one of camera, upload"],
  ['{"handoff":{"enabled":"yes"}}', "config.handoff.enabled must be true or false"],
  ['{"checks":{"photos":"yes"}}', "config.checks.photos must be true or false"],
  ['{"review":{"fourEyes":1}}', "config.review.fourEyes must be true or false"],
  ['{"review":{"mode":"auto"}}', "config.review.mode must be one of none, manual"],
  ...["+02:00", "Europe/Berlin\\n"].map(
    (timeZone): Bad => [
      `{"checks":{"timeZone":"${timeZone}"}}`,
      "config.checks.timeZone must be a time zone like Europe/Berlin"
    ]
  ),
  [
    '{"review":{"reasons":[{"code":"a b","text":"A"}]}}',
    "config.review.reasons[0].code must be a letter and then up to 63 letters, digits, underscores or hyphens"
  ],
  [
    `{"steps":[${many(51, (index) => `{"id":"s${index}","type":"form"}`)}]}`,
    "workflow.steps must be an array of at most 50 steps"
  ],
  [step('"form"'), "workflow.steps[1] must be an object"],
  [step('{"id":"b","type":7}'), "workflow.steps[1].type must be the name of a type of step, like form"],
  [
    step('{"id":"1b","type":"later"}'),
    "workflow.steps[1].id must be a letter and then up to 63 letters, digits, underscores or hyphens"
  ],
  [field('"type":"number"'), "workflow.steps[1].fields[0].type must be one of text, date, country, select"],
  [field('"type":"select"'), "workflow.steps[1].fields[0].options must be an array of at most 300 options"],
  [
    step(`{"id":"b","type":"form","fields":[${many(101, (index) => `{"id":"f${index}","type":"text"}`)}]}`),
    "workflow.steps[1].fields must be an array of at most 100 fields"
  ],
  [
    step('{"id":"b","type":"document","countries":["EE"]}'),
    "workflow.steps[1].countries[0] must be an ISO 3166 code of three letters like EST, or *"
  ],
  [
    when('"path":"a.x","op":"like","value":1'),
    "workflow.rules[0].if.op must be one of eq, ne, in, nin, lt, gt, exists, ageLt"
  ],
  [
    when('"path":"a.x","op":"eq","value":null'),
    "workflow.rules[0].if.value must be a string, a number, true or false"
  ],
  [
    when('"path":"a","op":"exists"'),
    "workflow.rules[0].if.path must be a step's id and a field's like person.nationality"
  ],
  [
    rule('{"after":"a","if":{"path":"a.x","op":"exists"},"then":{"fail":"no way"}}'),
    "workflow.rules[0].then.fail must be a code in capitals like COUNTRY_NOT_SUPPORTED"
  ],
  [
    step('{"id":"b","type":"document","sides":{"passport":3}}'),
    "workflow.steps[1].sides.passport must be one of 1, 2"
  ],
  [
    step('{"id":"b","type":"selfie","prompts":5}'),
    "workflow.steps[1].prompts must be a whole number from 0 to 4"
  ],
  // If there are several errors, the first in document order counts.
  ['{"theme":{"mode":1,"primary":1},"v":2}', "config.theme.mode must be one of auto, light, dark"],
  [
    step('{"type":"upload","maxFiles":0}'),
    "workflow.steps[1].id must be a letter and then up to 63 letters, digits, underscores or hyphens"
  ]
]
